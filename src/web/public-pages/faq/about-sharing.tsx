import { shortCodeLength } from '../../../shared/rules/links/short-code.ts'
import { When } from '../../built-pages/template.tsx'
import { Section } from '../article.tsx'
import { PrivacyContact } from '../contacts.tsx'
import { values, WhenSignupIsOpen } from '../values.tsx'
import { Question } from './question.tsx'

/** The first three of the six FAQ categories (spec §2). */
export const sharingFaqSections = [
  <Section key="getting-started" id="getting-started" title="Getting Started">
    <Question id="what-it-is" title="What is Mayfly?">
      <p>
        A way to share files for a limited time. Upload a file, choose how long its link works, and
        send the link. When the link expires, the file is deleted.
      </p>
    </Question>
    <Question id="how-to-share" title="How do I share a file?">
      <ol>
        <li>
          <a href="/login">Sign in</a>
          <WhenSignupIsOpen>
            {' '}
            or <a href="/signup">sign up</a>
          </WhenSignupIsOpen>
          .
        </li>
        <li>Drop, choose or paste the file on the dashboard.</li>
        <li>
          Copy the link and send it to whomever you like. You don’t have to wait for the upload: the
          page shows how far it is.
        </li>
      </ol>
    </Question>
    <Question id="who-needs-an-account" title="Do people need an account to download?">
      <p>
        No. The link shows the name and size of the file, the time left and a download button. It
        works in any browser, even without scripts, and with tools such as curl.
      </p>
    </Question>
    <Question id="what-to-upload" title="What can I upload?">
      <p>
        Files of any type: up to {values.freeFileSize} each with Free, up to{' '}
        {values.premiumFileSize} each with Premium. You can upload several files or whole folders,
        as one link or with a link for each file.
      </p>
      <p>
        The <a href="/terms">terms of service</a> say what you may not share.
      </p>
    </Question>
    <Question id="several-files" title="Can I share several files with one link?">
      <p>
        Yes. Select “One link” when you upload. The page behind the link lists the files, and people
        download single files or all of them as one zip archive. You can add files to the link
        later.
      </p>
    </Question>
    <Question id="requests" title="Can people send files to me?">
      <p>
        Yes, with a request: create one on the dashboard and send its link. People need no account
        to send files through it. What they send counts toward your limits, and only you can open it
        until you share it. You can set a password, a largest file and an end, and close the request
        at any time.
      </p>
      <p>
        With Free, one request can be open at a time; with Premium, any number. The operator of a
        server can turn requests off or limit them to Premium.
      </p>
    </Question>
    <Question id="preview-version" title="Why does it say “preview version”?">
      <p>
        Mayfly is still changing, and nothing is charged yet. <a href="/feedback">Your feedback</a>{' '}
        helps.
      </p>
    </Question>
  </Section>,
  <Section key="security-privacy" id="security-privacy" title="Security & Privacy">
    <Question id="who-can-download" title="Who can download my file?">
      <p>
        Everyone who has the link, until it expires, so share it as carefully as the file itself.
        With a password on the link, only people who know the password can see or download its
        files. You can also limit the number of downloads, after which the link stops working.
      </p>
      <p>
        Links can’t be guessed: each ends in {shortCodeLength} random characters that are never
        reused. They aren’t listed anywhere, and search engines are told not to index them.
      </p>
    </Question>
    <Question id="encryption" title="Are my files encrypted?">
      <When is="https">
        <p>In transit, yes: this server uses HTTPS.</p>
      </When>
      <When is="http">
        <p>
          In transit, no: this server uses plain HTTP. Others on the same network can read the
          traffic.
        </p>
      </When>
      <p>
        At rest, that depends on the disk or storage service of this server. Mayfly does not encrypt
        files, so the operator can read them. Ask <PrivacyContact /> for details.
      </p>
      <p>
        If only the recipient may read a file, encrypt it before you upload it, for example as an
        archive with a password. Send the password separately.
      </p>
    </Question>
    <Question id="viruses" title="Are files scanned for viruses?">
      <p>
        No. The server computes checksums and refuses content that was taken down before; it does
        not scan files. People look at a file only for a reason, such as a report. Open downloads
        only if you trust the sender. Files are always saved, never run or shown in the browser.
      </p>
    </Question>
    <Question id="unchanged" title="How can I verify that a file arrived unchanged?">
      <p>
        Compare the SHA-256 of the downloaded file with the one on the download page or the
        dashboard. The server computes it from the stored bytes, soon after the upload. Where
        possible, your browser also sends a checksum with each part of an upload, and sends the part
        again if it doesn’t match.
      </p>
    </Question>
    <Question id="known-about-downloaders" title="What do you know about people who download?">
      <p>
        Only how many downloads there were per day. Downloads are counted without names, addresses
        or cookies. The <a href="/privacy">privacy policy</a> lists everything that is kept.
      </p>
    </Question>
    <Question id="report" title="How do I report a file?">
      <p>
        Select “Report this file” on its download page and describe the problem. You don’t need an
        account. Files that violate the <a href="/terms">terms</a> are taken down, and their content
        is blocked.
      </p>
    </Question>
  </Section>,
  <Section key="file-management" id="file-management" title="File Management">
    <Question id="how-long" title="How long does a link work?">
      <p>
        With Free for {values.freeDays}, with Premium for {values.premiumDays}; you choose when you
        upload. Links expire to the second. No file stays longer than {values.maxLifetime}, even if
        it is renewed.
      </p>
    </Question>
    <Question id="after-expiry" title="What happens when a link has expired?">
      <p>With Free, the file is deleted. Its name stays in your history until you clear it.</p>
      <p>
        With Premium, the file becomes private: nobody can open it, but you can renew its link until{' '}
        {values.maxLifetime} after the upload. Then it is deleted.
      </p>
      <p>
        The bytes are deleted within minutes. My Files shows a receipt with the time the deletion
        was due and the time storage confirmed it.
      </p>
    </Question>
    <Question id="renew" title="Can I extend a link?">
      <p>
        With Premium, you can renew a file before or after its link expires. It gets a new link, and
        the old one stops working. The limit is {values.maxLifetime} after the upload.
      </p>
    </Question>
    <Question id="delete" title="Can I delete a file early?">
      <p>
        Yes, in My Files. The link stops working immediately, and the bytes are deleted within
        minutes. This can’t be undone.
      </p>
    </Question>
    <Question id="get-back" title="Can I restore a deleted file?">
      <p>No. Keep your own copy: Mayfly is for sharing files, not for storing them.</p>
    </Question>
    <Question id="downloads" title="Can I see whether my file was downloaded?">
      <p>
        Yes. My Files shows the number of downloads. A download counts once, when it starts. Opening
        the page and link previews in chats don’t count. Premium also shows downloads per day.
      </p>
    </Question>
  </Section>,
]
