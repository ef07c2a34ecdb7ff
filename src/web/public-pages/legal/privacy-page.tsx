import type { ReactNode } from 'react'
import { When } from '../../built-pages/template.tsx'
import { Article, LastUpdated, Section } from '../article.tsx'
import { AllContacts, PrivacyContact, Support } from '../contacts.tsx'
import { values } from '../values.tsx'
import { BrowserStorage } from './browser-storage.tsx'
import { StoredData } from './stored-data.tsx'

/**
 * The privacy policy. Covers only what this software does with data. Operators must add anything
 * else that they do.
 */
export function PrivacyPage() {
  return (
    <Article title="Privacy policy" note={<LastUpdated />} lead={<Summary />}>
      <Section id="who" title="Who is responsible">
        <p>
          Anyone can run Mayfly. This server, {values.origin}, is run by its operator, who is
          responsible for your data. Write to <PrivacyContact />.
        </p>
      </Section>
      <Section id="kept" title="What is kept, and for how long">
        <StoredData />
      </Section>
      <Section id="browser" title="What is stored in your browser">
        <BrowserStorage />
      </Section>
      <Section id="who-sees" title="Who can see it">
        <DataViewers />
      </Section>
      <Section id="where" title="Where it is stored and how it is transmitted">
        <p>
          <When is="disk">Files are on the disk of this server.</When>
          <When is="s3">
            Files are at the storage service {values.storageHost}. Older ones may be on the disk of
            this server.
          </When>{' '}
          Everything else is in its database. The operator may keep backups of both, which contain
          deleted data until they are replaced.
        </p>
        <When is="https">
          <p>Traffic between your browser and this server is encrypted (HTTPS).</p>
        </When>
        <When is="http">
          <p>
            This server uses plain HTTP: traffic between it and your browser is not encrypted and
            can be read on the way.
          </p>
        </When>
      </Section>
      <Section id="choices" title="What you can do">
        <ul>
          <li>
            See and correct your name, password and sessions on the{' '}
            <a href="/account">account page</a>, and your files on the <a href="/">dashboard</a>.
          </li>
          <li>
            Delete any file at any time, clear your history, and{' '}
            <a href="#deletion">delete your account</a>.
          </li>
          <li>
            Ask <PrivacyContact /> for access to your data, a copy, a correction or deletion, or
            object to its use. You can also complain to your data protection authority.
          </li>
        </ul>
      </Section>
      <Section id="deletion" title="When an account is deleted">
        <p>
          Delete it on the <a href="/account">account page</a>. If you cannot sign in, write to{' '}
          <Support /> from the email address of the account. It is deleted immediately and for good,
          with its sessions, ways to sign in, API keys, requests, settings, brand, and all files
          with their links, names and counts. Their bytes follow within minutes.
          <When is="smtp"> You get a receipt by email.</When>
        </p>
        <p>
          What remains: entries of the audit log with IP addresses, of which the last one names the
          email address, and those about files that were taken down have the link code and the
          reason; proofs of deletion, without names; used link codes; checksums of content that was
          taken down; your feedback and reports, and records of emails, including the receipt, for
          as long as stated above.
        </p>
        <p>
          Closed reports of your files are deleted with the account. An open report stays for as
          long as stated above, with the name of the file, its link code and the number of the
          account, so that its content can still be blocked.
        </p>
      </Section>
      <Section id="changes" title="Changes and contact">
        <p>
          We announce changes to this policy on this page. <AllContacts />
        </p>
      </Section>
    </Article>
  )
}

function Summary() {
  return (
    <div className="lead">
      <p>In short:</p>
      <ul>
        <li>We keep what the product needs: an address to sign in with, and the files.</li>
        <li>Expired files are deleted. No file stays longer than {values.maxLifetime}.</li>
        <li>
          Downloads are counted. Nothing else is kept about people who download, unless you limit
          the downloads of a link.
        </li>
        <li>No advertising, no tracking, nothing from other companies on our pages.</li>
      </ul>
    </div>
  )
}

function DataViewers() {
  return (
    <dl className="kept">
      <Viewer viewer="Anyone with a link">
        The link's title and message, whether it has a password and how many downloads are left.
        Each file, its name, size and type, how much of it has arrived, when it was uploaded, when
        the link ends and when the file is deleted at the latest, the checksum, and your brand if
        you set one up. Not who you are, unless you send the link by email from here: then the
        recipients see your name and email address. Before a password is given, only when the link
        ends and your brand.
      </Viewer>
      <Viewer viewer="The administrator">
        In the Admin Center: names, addresses and whether they are confirmed, pictures and tiers of
        all accounts, when each was made and when its trial began and ends, how many files, stored
        bytes, downloads and open sessions it has; the audit log with its IP addresses, and with the
        addresses of deleted accounts; all feedback; the recipients of emails that could not be
        sent; and all reports, with the names of the files and the addresses of their owners. To
        review a report, the administrator can open the file.
      </Viewer>
      <Viewer viewer="The operator">
        Whoever runs the server can read everything on it: the database, the log and the files,
        which Mayfly does not encrypt. If the operator must not read a file, encrypt it before you
        upload it.
      </Viewer>
      <When is="s3">
        <Viewer viewer="The storage service">
          {values.storageHost} keeps the files. Your browser sends and fetches files directly, so
          the service sees your IP address.
        </Viewer>
      </When>
      <When is="smtp">
        <Viewer viewer="The mail service">
          Delivers emails, and sees their addresses and texts.
        </Viewer>
      </When>
      <When is="google">
        <Viewer viewer="Google">
          Only if you sign in with Google: learns that you do, and tells us your name, email address
          and picture. Your browser loads the picture from Google without telling it on which page.
          We have no other access to your Google account.
        </Viewer>
      </When>
      <Viewer viewer="Nobody else">
        There is no advertising and no tracking, and our pages load nothing from other companies.
        Mayfly shares your data with no one.
      </Viewer>
    </dl>
  )
}

function Viewer({ viewer, children }: { viewer: string; children: ReactNode }) {
  return (
    <div>
      <dt>{viewer}</dt>
      <dd>{children}</dd>
    </div>
  )
}
