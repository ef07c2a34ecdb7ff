import type { ReactNode } from 'react'
import { maxEmailWindowMs } from '../../../shared/rules/accounts/email-limits.ts'
import {
  maxIdleDays,
  maxSessionDays,
  tokenLifetimeMs,
} from '../../../shared/rules/accounts/session-lifetime.ts'
import {
  emailRetentionMs,
  feedbackRetentionMs,
  idleUploadTimeoutMs,
  maxRateWindowMs,
} from '../../../shared/rules/files/retention.ts'
import { analyticsDays } from '../../../shared/rules/format/day.ts'
import { durationText } from '../../../shared/rules/format/numbers.ts'
import { dayInMs } from '../../../shared/rules/format/units.ts'
import { linkEmailRetentionMs } from '../../../shared/rules/links/link-emails.ts'
import { receiptDays } from '../../../shared/rules/links/receipt.ts'
import { closedReportDays, openReportDays } from '../../../shared/rules/links/report.ts'
import { When } from '../../built-pages/template.tsx'
import { values } from '../values.tsx'

/**
 * Describes one kind of personal data. `retention` completes the sentence that starts with "Kept".
 */
function DataEntry(props: { title: string; retention: ReactNode; children: ReactNode }) {
  return (
    <div>
      <dt>{props.title}</dt>
      <dd>{props.children}</dd>
      <dd className="until">
        <b>Kept</b> {props.retention}.
      </dd>
    </div>
  )
}

const signupLifetimeText = durationText(tokenLifetimeMs['verify-email'])
const handledReportLifetimeText = durationText(closedReportDays * dayInMs)
const openReportLifetimeText = durationText(openReportDays * dayInMs)

/** Lists the personal data that the server stores, and how long it is kept. */
export function StoredData() {
  return (
    <dl className="kept">
      <DataEntry title="Your account" retention="until the account is deleted">
        Your name and email address, whether the address is confirmed, your tier and trial, when the
        account was created, and a hash of your password.
        <When is="google">
          {' '}
          If you sign in with Google: your Google user number and the address of your picture.
        </When>
      </DataEntry>
      <DataEntry
        title="Pending signups"
        retention={`for ${signupLifetimeText} after the last email, or until you confirm`}
      >
        Until you open the link in the email: the name, email address and a hash of the password,
        and the name of the browser, such as “Firefox on Linux”.
      </DataEntry>
      <DataEntry
        title="Sessions"
        retention={
          <>
            until you sign out, for {maxIdleDays} days without use, and for {maxSessionDays} days at
            most
          </>
        }
      >
        For each signed-in browser: its User-Agent, the IP address that used it last, and when you
        signed in and last used it. The <a href="/account">account page</a> shows all of this.
      </DataEntry>
      <DataEntry title="API keys" retention="until you revoke the key">
        For each key: its name, first characters and a hash, what it may do, and when it was created
        and last used.
      </DataEntry>
      <DataEntry
        title="Your files"
        retention={
          <>
            until you delete the file; otherwise with Free until its link ends, with Premium until{' '}
            {values.maxLifetime} after the upload. The bytes are deleted within minutes. The name
            and dates stay in your history until you clear it
          </>
        }
      >
        The bytes, and for each file its name, type, size and checksum, when it was uploaded, how
        long that took, and when its link ends; the link's title and message, and a hash of its
        password.
      </DataEntry>
      <DataEntry title="Your requests" retention="until the account is deleted">
        The title and message, the limits, when the request was opened and closed, and a hash of its
        password.
      </DataEntry>
      <DataEntry
        title="What people send you"
        retention="like your other files, and deleted with them"
      >
        The files, and the name and message that the sender enters, if any. Nothing else about the
        sender: no IP address, and no account. Whoever enters a request's password gets a cookie for
        twelve hours.
      </DataEntry>
      <DataEntry
        title="Unfinished uploads"
        retention={`until you cancel the upload, or ${durationText(idleUploadTimeoutMs)} after its last byte`}
      >
        The bytes that arrived, and the name, type and size of the file.
      </DataEntry>
      <DataEntry
        title="Downloads"
        retention={<>as long as the file is in your history; the totals for {analyticsDays} days</>}
      >
        How often each file and link was downloaded on which days, and when last. Nothing about the
        people who downloaded it: no name, no IP address. Only for a link with a limited number of
        downloads, a keyed hash of each IP address that began one, so that a broken download can be
        resumed. Whoever enters a link's password gets a cookie for twelve hours.
      </DataEntry>
      <DataEntry
        title="Your settings"
        retention="until you change them, or until the account is deleted"
      >
        Your settings of the File Manager, and the name, color, message and logo of your brand.
        Which of your files are due an email at their first download.
      </DataEntry>
      <DataEntry
        title="Emails"
        retention={
          <>
            for {durationText(emailRetentionMs)} after the email was sent. To prevent flooding,
            emails per address are counted for {durationText(maxEmailWindowMs)}
            <When is="outbox">. The emails in the folder stay until the operator removes them</When>
          </>
        }
      >
        The request for each email: its kind, and the account or address. The text is written when
        the email is sent<When is="smtp"> and not kept</When>.
        <When is="outbox">
          {' '}
          This server has no mail service. It writes emails, with address and text, to a folder that
          only its operator can read.
        </When>{' '}
        Links in emails contain a secret, of which the server keeps a hash while the link works.
      </DataEntry>
      <DataEntry
        title="Links sent by email"
        retention={`for ${durationText(linkEmailRetentionMs)}, or until the account is deleted`}
      >
        The addresses that a user sends a link to, the message, when, and whether the email could
        not be delivered.
      </DataEntry>
      <DataEntry title="Who wants no links by email" retention="permanently">
        A keyed hash of the email address of everyone who has stopped such emails, and when.
      </DataEntry>
      <DataEntry
        title="Feedback"
        retention={`until the operator deletes it, and for ${durationText(feedbackRetentionMs)} at most`}
      >
        What you enter in the form: name, address, category and message, and when.
        <When is="smtp"> It is usually emailed to support too.</When>
      </DataEntry>
      <DataEntry
        title="Reports of files"
        retention={
          <>
            for {handledReportLifetimeText} after the administrator closed it; while open, for{' '}
            {openReportLifetimeText} after the last report or as long as the file is stored
          </>
        }
      >
        The reason, when, and the email address of the reporter if given; the name, type, size and
        checksum of the file, its link code, and the number of its owner.
        <When is="smtp"> It is also emailed to support.</When> The owner does not learn who reported
        it.
      </DataEntry>
      <DataEntry title="Blocked content" retention="permanently">
        Size and SHA-256 of content that was taken down, when and why, so that it can’t be shared
        again. Nothing about who uploaded it.
      </DataEntry>
      <DataEntry
        title="Rate limits"
        retention={`for ${durationText(maxRateWindowMs)} at most, and deleted within minutes after that`}
      >
        To stop guessing and flooding, attempts to sign in, sign up or send a form are counted by IP
        address (with IPv6 by network), and by account as a hash.
        <When is="google"> While you sign in at Google, also the page to return to.</When>
      </DataEntry>
      <DataEntry title="Audit log" retention="permanently, because the log must not be changed">
        Changes of tiers, roles, passwords and ways to sign in, deletions of accounts, and what the
        administrator did: who, what, when, and from which IP address. Accounts are listed by
        number; only the entry of a deleted account names its email address. The entry of a file
        that was taken down has its link code, checksum and the reason.
      </DataEntry>
      <DataEntry
        title="Proof of deletions"
        retention={`permanently; the names of the files for ${durationText(receiptDays * dayInMs)}`}
      >
        For each deleted file, when its bytes were due to be deleted and when storage confirmed it,
        with random numbers for the file and its owner. You see these receipts with the names of the
        files. Also every link code, so that none is reused.
      </DataEntry>
      <DataEntry title="Server log" retention="for as long as the operator keeps logs">
        One line per request: the path without link codes, the time and the result, but not who made
        it. Refused sign-ins, and transfers refused because of too many, are logged with the IP
        address. Emails, accounts and files are logged by number, and errors without email
        addresses.
      </DataEntry>
    </dl>
  )
}
