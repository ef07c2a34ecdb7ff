import { publicPlaceholder } from '../../../shared/public-placeholders.ts'
import { AllContacts, PrivacyContact, Support } from '../contacts.tsx'
import { When } from '../when.tsx'
import { BrowserStorage } from './browser-storage.tsx'
import { LegalPage, type LegalSection } from './legal-page.tsx'
import { KeptThings } from './privacy-kept.tsx'

const sections: readonly LegalSection[] = [
  {
    id: 'who',
    title: 'Who is responsible',
    body: (
      <p>
        Mayfly is a program that anybody can run. This server, {publicPlaceholder('origin')}, is run
        by its operator, who decides what happens to your data here. Write to <PrivacyContact />.
      </p>
    ),
  },
  {
    id: 'kept',
    title: 'What is kept, and for how long',
    body: <KeptThings />,
  },
  {
    id: 'browser',
    title: 'What stays in your browser',
    body: <BrowserStorage />,
  },
  {
    id: 'who-sees',
    title: 'Who can see it',
    body: (
      <dl className="kept">
        <div>
          <dt>Everybody who has a link</dt>
          <dd>
            The file, its name, size and type, when it was uploaded, when the link ends and when the
            file is deleted at the latest, the checksum, and your brand if you set one up. Not who
            you are.
          </dd>
        </div>
        <div>
          <dt>The administrator</dt>
          <dd>
            In the Admin Center: names, addresses and whether they are confirmed, pictures and tiers
            of all accounts, when each was made and when its trial began and ends, how many files,
            stored bytes, downloads and open sessions it has; the audit log with its IP addresses,
            and with the addresses of deleted accounts; all feedback; the recipients of emails that
            could not be sent; and all reports, with the names of the files and the addresses of
            their owners. Who reads a report can open the file that it is about.
          </dd>
        </div>
        <div>
          <dt>The operator</dt>
          <dd>
            Whoever runs the machine can read everything that lies on it: the database, the log, and
            the files, which Mayfly does not encrypt. No program can prevent that. Files that must
            stay secret from the operator too should be encrypted before they are uploaded.
          </dd>
        </div>
        <When is="s3">
          <div>
            <dt>The storage service</dt>
            <dd>
              {publicPlaceholder('storageHost')} keeps the files. Your browser sends files to it and
              fetches them from it directly, so it also sees your IP address then.
            </dd>
          </div>
        </When>
        <When is="smtp">
          <div>
            <dt>The mail service</dt>
            <dd>Carries the emails, and so sees addresses and contents.</dd>
          </div>
        </When>
        <When is="google">
          <div>
            <dt>Google</dt>
            <dd>
              Only if you sign in with it: learns that you do, and tells us your name, your address
              and your picture. Your browser loads that picture from Google, without telling on
              which page it is shown. We keep no access to your Google account.
            </dd>
          </div>
        </When>
        <div>
          <dt>Nobody else</dt>
          <dd>
            There is no advertising and no tracking, and nothing on these pages comes from other
            companies. The program hands your data to nobody.
          </dd>
        </div>
      </dl>
    ),
  },
  {
    id: 'where',
    title: 'Where it lies, and how it travels',
    body: (
      <>
        <p>
          <When is="disk">Files lie on the disk of this server.</When>
          <When is="s3">
            Files lie at the storage service {publicPlaceholder('storageHost')}. Some from before
            that was set up may lie on the disk of this server.
          </When>{' '}
          All else is in its database. The operator may keep backups of both, in which something
          that was deleted here lives on until they are replaced.
        </p>
        <When is="https">
          <p>Between your browser and this server everything is encrypted (HTTPS).</p>
        </When>
        <When is="http">
          <p>
            This server is reached over plain HTTP: what passes between it and your browser is not
            encrypted, and can be read on the way.
          </p>
        </When>
      </>
    ),
  },
  {
    id: 'choices',
    title: 'What you can do',
    body: (
      <>
        <ul>
          <li>
            See and correct: your name, your password, and where you are signed in are on the{' '}
            <a href="/account">account page</a>, your files on the <a href="/">dashboard</a>.
          </li>
          <li>Delete any file at any time, and clear your history.</li>
          <li>
            Ask <PrivacyContact /> what is kept about you, for a copy of it, to have it corrected or
            deleted, or to object. The authority for data protection where you live takes
            complaints.
          </li>
        </ul>
      </>
    ),
  },
  {
    id: 'deletion',
    title: 'When an account is deleted',
    body: (
      <>
        <p>
          Write to <Support /> from the address of the account. It goes for good, and with it every
          session, every way to sign in, your settings and your brand, and all files with their
          bytes, links, names and numbers.
        </p>
        <p>
          What stays: the lines of the audit log with their IP addresses, of which the last one
          names the address of the account, so that the deletion itself can be explained, and those
          about files that were taken down have the link code and the reason; the proofs of
          deletion, without names; link codes that were used; the checksum of content that was taken
          down; what you wrote as feedback or when you reported a file, and what is kept of emails,
          for as long as it says above.
        </p>
        <p>
          Reports of your files go with the account, once they were dealt with. A report that waits
          for the administrator stays for as long as it says above, with the name of the file, its
          link code and the number of the account, so that its content can still be blocked.
        </p>
      </>
    ),
  },
  {
    id: 'changes',
    title: 'Changes and contact',
    body: (
      <p>
        Changes of this policy are announced on this page. <AllContacts />
      </p>
    ),
  },
]

/**
 * The privacy policy. It describes what this program does with data. An operator who does more with
 * data must add it here.
 */
export function PrivacyPage() {
  return (
    <LegalPage
      title="Privacy policy"
      lead={
        <div className="lead">
          <p>In short:</p>
          <ul>
            <li>We keep what the product needs: an address to sign in with, and the files.</li>
            <li>
              Files go when their time is over. No file stays for more than{' '}
              {publicPlaceholder('maxLifetime')}.
            </li>
            <li>People who download are counted, and nothing more is known about them.</li>
            <li>No advertising, no tracking, nothing from other companies on our pages.</li>
          </ul>
        </div>
      }
      sections={sections}
    />
  )
}
