import { publicPlaceholder } from '../../../shared/public-placeholders.ts'
import { shortCodeLength } from '../../../shared/rules/links/short-code.ts'
import { PrivacyContact } from '../contacts.tsx'
import { When, WhereSignupIsPossible } from '../when.tsx'
import type { FaqCategory } from './faq-category.ts'

const lifetime = publicPlaceholder('maxLifetime')

/** The first three of the six categories of the FAQ (spec §2). */
export const faqAboutSharing: readonly FaqCategory[] = [
  {
    title: 'Getting Started',
    questions: [
      {
        id: 'what-it-is',
        question: 'What is Mayfly?',
        answer: (
          <p>
            A way to hand over a file without keeping it anywhere for long. You upload the file,
            choose how long its link works, and send the link. When the time is over, the link stops
            working and the file is deleted.
          </p>
        ),
      },
      {
        id: 'how-to-share',
        question: 'How do I share a file?',
        answer: (
          <ol>
            <li>
              <a href="/login">Sign in</a>
              <WhereSignupIsPossible>
                , or <a href="/signup">make an account</a>
              </WhereSignupIsPossible>
              .
            </li>
            <li>Drop the file on the dashboard, choose it there, or paste it.</li>
            <li>When it is uploaded, copy its link.</li>
            <li>Send the link in any way you like: by email, in a chat, on paper.</li>
          </ol>
        ),
      },
      {
        id: 'who-needs-an-account',
        question: 'Do people need an account to download?',
        answer: (
          <p>
            No. Whoever opens the link sees the name of the file, its size, how long the link still
            works, and one button. It works in every browser, also without scripts, and with
            programs such as curl.
          </p>
        ),
      },
      {
        id: 'what-to-upload',
        question: 'What can I upload?',
        answer: (
          <>
            <p>
              Files of any type: up to {publicPlaceholder('freeFileSize')} each with Free, up to{' '}
              {publicPlaceholder('premiumFileSize')} each with Premium. Several at once is fine, and
              whole folders too: each file gets a link of its own.
            </p>
            <p>
              What you may not share stands in the <a href="/terms">terms of service</a>.
            </p>
          </>
        ),
      },
      {
        id: 'preview-version',
        question: 'Why does it say “preview version”?',
        answer: (
          <p>
            Because it is young and still changes. Nothing is charged while it does. What you notice
            helps: <a href="/feedback">tell us</a>.
          </p>
        ),
      },
    ],
  },
  {
    title: 'Security & Privacy',
    questions: [
      {
        id: 'who-can-download',
        question: 'Who can download my file?',
        answer: (
          <>
            <p>
              Everybody who has the link, for as long as it works. So treat the link as you would
              treat the file. There are no passwords on links.
            </p>
            <p>
              Nobody finds a link by trying: each ends in {shortCodeLength} random characters, which
              are never given a second time. Links are in no list, and their pages ask search
              engines to stay away.
            </p>
          </>
        ),
      },
      {
        id: 'encryption',
        question: 'Are my files encrypted?',
        answer: (
          <>
            <When is="https">
              <p>On their way, yes: this server is reached over HTTPS.</p>
            </When>
            <When is="http">
              <p>
                On their way, no: this server is reached over plain HTTP. Others in the same network
                can read what passes.
              </p>
            </When>
            <p>
              Where they are stored, that depends on the disk or the storage service that the
              operator of this server chose. Mayfly itself stores files as they came and does not
              encrypt them, so the operator could read them. Ask <PrivacyContact /> how it is here.
            </p>
            <p>
              A file that nobody but the receiver may read should be encrypted before you upload it,
              for example as an archive with a password. Send that password by another way than the
              link.
            </p>
          </>
        ),
      },
      {
        id: 'viruses',
        question: 'Are files checked for viruses?',
        answer: (
          <p>
            No. No program looks for viruses or for anything else in a file. The server only
            computes checksums, and refuses what was taken down before. A person looks into a file
            only with a reason, such as a report. Open what you download only if you trust who sent
            it. Files are always saved and never shown or run inside the browser.
          </p>
        ),
      },
      {
        id: 'unchanged',
        question: 'How can I tell that a file arrived unchanged?',
        answer: (
          <p>
            While you upload on these pages, your browser sends checksums along where it can compute
            them, and what does not match is sent again. The page behind the link shows the SHA-256
            of the whole file, where it is known, and so does the dashboard.{' '}
            <When is="disk">The server computes it from the bytes that it has stored.</When>
            <When is="s3">
              It is computed by whoever uploads the file, and not compared with what is stored.
            </When>{' '}
            If the file that somebody has saved has the same one, it is the same to the last bit.
          </p>
        ),
      },
      {
        id: 'known-about-downloaders',
        question: 'What do you know about people who download?',
        answer: (
          <p>
            How many there were on each day, and nothing about them: downloads are counted without
            names, addresses or cookies. What else is kept, for how long and who can see it is in
            the <a href="/privacy">privacy policy</a>, line by line.
          </p>
        ),
      },
      {
        id: 'report',
        question: 'Somebody shares something that should not be shared. What can I do?',
        answer: (
          <p>
            Press “Report this file” on the page of the link, and say what is wrong with it. You
            need no account. What breaks the <a href="/terms">terms</a> is taken down, and its
            content cannot be shared here again.
          </p>
        ),
      },
    ],
  },
  {
    title: 'File Management',
    questions: [
      {
        id: 'how-long',
        question: 'How long does a link work?',
        answer: (
          <p>
            With Free for {publicPlaceholder('freeDays')}, with Premium for{' '}
            {publicPlaceholder('premiumDays')}, as you choose when you upload. The link ends at that
            very second. No file stays longer than {lifetime}, whatever is done with its link.
          </p>
        ),
      },
      {
        id: 'after-expiry',
        question: 'What happens when a link has expired?',
        answer: (
          <>
            <p>
              With Free, the file is deleted at once. Its name stays in your list as history until
              you clear it.
            </p>
            <p>
              With Premium, the file becomes private: nobody can open it, but you can renew its link
              until {lifetime} have passed since the upload. Then it is deleted for good.
            </p>
            <p>
              Deleted means that the bytes are removed, within minutes. My Files shows a receipt
              that says when they were due to go and when storage confirmed that they were gone.
            </p>
          </>
        ),
      },
      {
        id: 'renew',
        question: 'Can I make a link work for longer?',
        answer: (
          <p>
            With Premium: Renew gives the file a completely new link, before or after the old one
            has expired, and the old one stops working. The {lifetime} since the upload stay the
            limit.
          </p>
        ),
      },
      {
        id: 'delete',
        question: 'Can I delete a file before its time?',
        answer: (
          <p>
            Yes, at any time, in My Files. Its link ends immediately and its bytes are removed
            within minutes. It cannot be undone.
          </p>
        ),
      },
      {
        id: 'get-back',
        question: 'Can I get a deleted file back?',
        answer: (
          <p>
            No. That is the point of it. Keep your own copy: this is a way to hand files over, not a
            place to keep them.
          </p>
        ),
      },
      {
        id: 'downloads',
        question: 'Can I see whether my file was downloaded?',
        answer: (
          <p>
            Yes. Beside each file stands how often. A download counts once, when it begins. Opening
            the page does not count, and neither do the previews that chat programs make. Premium
            shows the days too.
          </p>
        ),
      },
    ],
  },
]
