import type { ReactNode } from 'react'
import { publicPlaceholder } from '../../../shared/public-placeholders.ts'
import { emailsCountedMs } from '../../../shared/rules/accounts/email-limits.ts'
import { idleDays, longestDays } from '../../../shared/rules/accounts/session-life.ts'
import { tokenLifetimeMs } from '../../../shared/rules/accounts/token-purpose.ts'
import {
  feedbackKeptMs,
  idleUploadKeptMs,
  longestCountMs,
  mailRequestKeptMs,
} from '../../../shared/rules/files/kept-times.ts'
import { analyticsDays } from '../../../shared/rules/format/day.ts'
import { durationText } from '../../../shared/rules/format/duration-text.ts'
import { dayInMs } from '../../../shared/rules/format/units.ts'
import { receiptDays } from '../../../shared/rules/links/receipt.ts'
import { handledReportDays, openReportDays } from '../../../shared/rules/links/report.ts'
import { When } from '../when.tsx'

/** A kind of personal data that the server keeps. */
interface Kept {
  title: string
  what: ReactNode
  /** How long the server keeps the data. The page writes 'Kept ' before this text. */
  until: ReactNode
}

const kept: readonly Kept[] = [
  {
    title: 'Your account',
    what: (
      <>
        Your name and email address, whether the address is confirmed, your tier and its trial, and
        when the account was made. Of your password only a hash, from which nobody can read it.
        <When is="google">
          {' '}
          If you sign in with Google: the number by which Google knows you, and the address of your
          picture there.
        </When>
      </>
    ),
    until: 'until the account is deleted',
  },
  {
    title: 'A signup that waits',
    what: (
      <>
        Until you open the link in its email: the name, the address and a hash of the password that
        were typed, and the name of the browser, such as “Firefox on Linux”.
      </>
    ),
    until: (
      <>
        for {durationText(tokenLifetimeMs['verify-email'])} after its last email, or until you
        confirm
      </>
    ),
  },
  {
    title: 'Where you are signed in',
    what: (
      <>
        For each browser: what it says about itself (its User-Agent), the IP address from which it
        was last used, when you signed in and when you last used it. The{' '}
        <a href="/account">account page</a> shows all of it to you, and lets you end each one.
      </>
    ),
    until: (
      <>
        until you sign out there, for {idleDays} days without use, and for {longestDays} days in any
        case
      </>
    ),
  },
  {
    title: 'Your files',
    what: (
      <>
        The bytes as you sent them, and for each file its name, type, size and checksum, when it was
        uploaded, how long that took, and when its link ends.
      </>
    ),
    until: (
      <>
        until you delete the file; else with Free until its link ends, with Premium until{' '}
        {publicPlaceholder('maxLifetime')} after the upload. The bytes are gone within minutes. The
        name and the dates stay in your history until you clear it
      </>
    ),
  },
  {
    title: 'Uploads that were not finished',
    what: 'The bytes that arrived, and the name, type and size of the file.',
    until: (
      <>
        until you cancel the upload, or {durationText(idleUploadKeptMs)} after its last byte arrived
      </>
    ),
  },
  {
    title: 'Downloads',
    what: (
      <>
        How often each file was downloaded, on which days, and when the last time was. Nothing about
        the people who did it: no name, no IP address, no cookie.
      </>
    ),
    until: (
      <>with the file’s line in your list; the sums of your account for {analyticsDays} days</>
    ),
  },
  {
    title: 'Your settings',
    what: (
      <>
        What you chose in the File Manager, and your brand: its name, colour, message and logo. Of a
        file for which you want an email at its first download, that this email is due.
      </>
    ),
    until: 'until you change them, or until the account is deleted',
  },
  {
    title: 'Emails',
    what: (
      <>
        The request for each email: which one, and for which account or address. Its text is written
        when it is sent<When is="smtp"> and not kept</When>.
        <When is="outbox">
          {' '}
          This server has no mail service. It writes each email, with its address and its text, into
          a folder that only its operator can read.
        </When>{' '}
        Links in emails work by a secret, of which the server keeps a hash while it works.
      </>
    ),
    until: (
      <>
        for {durationText(mailRequestKeptMs)} after the email was sent. That an address got one is
        counted for {durationText(emailsCountedMs)}, so that nobody can be flooded
        <When is="outbox">. The emails in the folder stay until the operator removes them</When>
      </>
    ),
  },
  {
    title: 'Feedback',
    what: (
      <>
        What you write in the form: name, address, category and message, and when.
        <When is="smtp"> It is usually mailed to support too.</When>
      </>
    ),
    until: <>until the operator deletes it, and without that for {durationText(feedbackKeptMs)}</>,
  },
  {
    title: 'Reports of files',
    what: (
      <>
        What somebody writes who reports a file: the reason, when, and the email address if one was
        given. With it the name, type, size and checksum of the file, the code of its link, and the
        number of its owner.<When is="smtp"> It is also mailed to support.</When> The owner is not
        told who reported it.
      </>
    ),
    until: (
      <>
        for {durationText(handledReportDays * dayInMs)} after the administrator has dealt with it,
        and without that for {durationText(openReportDays * dayInMs)} after the last report, or for
        as long as the file is stored
      </>
    ),
  },
  {
    title: 'Files that were taken down',
    what: (
      <>
        Size and SHA-256 of the content, when it was taken down and why, so that nobody can share
        the same content here again. Nothing about who had uploaded it.
      </>
    ),
    until: 'for good',
  },
  {
    title: 'Attempts',
    what: (
      <>
        How often somebody tried to sign in, sign up or send a form, by IP address (with IPv6 by the
        network), and by account under a hash. This stops guessing and flooding.
        <When is="google">
          {' '}
          While you are at Google to sign in, also which page you want to come back to.
        </When>
      </>
    ),
    until: <>for {durationText(longestCountMs)} at most, and deleted within minutes after that</>,
  },
  {
    title: 'Audit log',
    what: (
      <>
        Changes of tiers, roles, passwords and ways to sign in, and what the administrator did: who,
        what, when, and from which IP address. Accounts stand in it by a number and not by name;
        only the line of a deleted account names its email address. The line of a file that was
        taken down has the code of its link, its checksum and the reason.
      </>
    ),
    until: 'for good: a log that can be changed proves nothing',
  },
  {
    title: 'Proof of deletions',
    what: (
      <>
        For each deleted file, when its bytes were due to go and when storage confirmed that they
        were gone, with random numbers for the file and its owner. You see these receipts, with the
        names of the files. Also every link code that was ever given, so that no link ever leads to
        another file.
      </>
    ),
    until: <>for good; the names of the files for {durationText(receiptDays * dayInMs)}</>,
  },
  {
    title: 'The server’s log',
    what: (
      <>
        One line for each request: its path without the code of a link, the time and the result. Who
        asked is not in it. A refused sign-in, and a refused transfer when too many are running,
        leave a line with the IP address. Emails, accounts and files stand in it by numbers, and no
        error that is logged has an email address in it.
      </>
    ),
    until: 'for as long as the operator keeps logs',
  },
]

/** Lists which personal data the server keeps, and for how long. */
export function KeptThings() {
  return (
    <dl className="kept">
      {kept.map(({ title, what, until }) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{what}</dd>
          <dd className="until">
            <b>Kept</b> {until}.
          </dd>
        </div>
      ))}
    </dl>
  )
}
