import { minPasswordLength } from '../../../shared/contract/account.ts'
import { publicPlaceholder } from '../../../shared/public-placeholders.ts'
import { tokenLifetimeMs } from '../../../shared/rules/accounts/token-purpose.ts'
import { idleUploadKeptMs } from '../../../shared/rules/files/kept-times.ts'
import { analyticsDays } from '../../../shared/rules/format/day.ts'
import { durationText } from '../../../shared/rules/format/duration-text.ts'
import { Support } from '../contacts.tsx'
import { When } from '../when.tsx'
import type { FaqCategory } from './faq-category.ts'
import { PlanTable } from './plan-table.tsx'

/** The last three of the six categories of the FAQ (spec §2). */
export const faqAboutProduct: readonly FaqCategory[] = [
  {
    title: 'Premium Features',
    questions: [
      {
        id: 'plans',
        question: 'What is the difference between Free and Premium?',
        answer: <PlanTable />,
      },
      {
        id: 'trial',
        question: 'How does the free trial work?',
        answer: (
          <p>
            You can try Premium for {publicPlaceholder('trial')}, once for each account. Start it on
            the dashboard, which then counts the days down.
            <When is="smtp"> Emails remind you before the end.</When> When it is over, the account
            is Free again: links that are open keep their dates, and nothing is charged.
          </p>
        ),
      },
      {
        id: 'file-manager',
        question: 'What can the File Manager do?',
        answer: (
          <p>
            It sorts by date, name, size or downloads, selects all files or those that a search
            finds, copies their links and deletes them together. In its settings you choose the
            expiry that new uploads begin with
            <When is="smtp">
              , and whether you get an email at the first download of a file and a day before a link
              ends
            </When>
            .
          </p>
        ),
      },
      {
        id: 'analytics',
        question: 'What does Analytics show?',
        answer: (
          <p>
            Your files by type, the links that end within a day, the downloads of each of the last{' '}
            {analyticsDays} days, and the files that are downloaded most. It counts downloads, not
            people.
          </p>
        ),
      },
      {
        id: 'branding',
        question: 'What is custom branding?',
        answer: (
          <p>
            Your name, logo, colour and a message on the pages behind your links, and in their
            previews. You set it up on the account page, which shows how it will look. It is shown
            while you have Premium.
          </p>
        ),
      },
      {
        id: 'premium-ends',
        question: 'What happens to my files when Premium ends?',
        answer: (
          <>
            <p>
              Links that are open keep their dates. Files whose links had expired and that waited to
              be renewed are deleted.
            </p>
            <p>
              If you have more files than Free allows, they stay until their time is over. You can
              upload again when there are fewer.
            </p>
          </>
        ),
      },
    ],
  },
  {
    title: 'Technical Questions',
    questions: [
      {
        id: 'largest-file',
        question: 'How large can a file be?',
        answer: (
          <p>
            {publicPlaceholder('freeFileSize')} with Free and {publicPlaceholder('premiumFileSize')}{' '}
            with Premium. A larger one can be compressed with zip or 7z, or split into parts.
          </p>
        ),
      },
      {
        id: 'lost-connection',
        question: 'What if my connection breaks while I upload?',
        answer: (
          <p>
            Failed uploads retry automatically. Large files travel in parts, and what has arrived is
            not sent again. The upload waits for as long as the connection is away. Only if it keeps
            failing although the server can be reached does it stop, and it tells you why.
          </p>
        ),
      },
      {
        id: 'closed-tab',
        question: 'What if I close the page, or the computer crashes?',
        answer: (
          <p>
            Come back in the same browser within {durationText(idleUploadKeptMs)}. The upload is
            listed as paused and goes on where it stopped. Browsers do not let a page read a file
            again by itself, so you may have to choose the same file once more.
          </p>
        ),
      },
      {
        id: 'phones',
        question: 'Can I upload from a phone?',
        answer: (
          <p>
            Yes. Keep the page open while it uploads: phones stop what runs in the background. The
            page keeps the screen on where the browser lets it.
          </p>
        ),
      },
      {
        id: 'browsers',
        question: 'Which browsers work?',
        answer: (
          <p>
            To upload and manage files, the current versions of Chrome, Edge, Firefox and Safari. To
            download, anything that can open a link.
          </p>
        ),
      },
      {
        id: 'changed-names',
        question: 'Why is the name of my file slightly different?',
        answer: (
          <p>
            Names are cleaned, so that every system can save them: quotes, control characters and
            the characters {'< > : " / \\ | ? *'} are removed, dashes become hyphens, and several
            spaces become one.
          </p>
        ),
      },
      {
        id: 'api',
        question: 'Can I use it from a program?',
        answer: (
          <p>
            Yes. Everything that these pages do is open to your own programs too: see the{' '}
            <a href="/api/docs">API reference</a>.
          </p>
        ),
      },
    ],
  },
  {
    title: 'Account & Billing',
    questions: [
      {
        id: 'sign-up',
        question: 'How do I get an account?',
        answer: (
          <>
            <When is="signupOpen">
              <p>
                <a href="/signup">Sign up</a> with your name, an email address and a password of at
                least {minPasswordLength} characters.
              </p>
            </When>
            <When is="signupDomains">
              <p>
                <a href="/signup">Sign up</a> with an email address of{' '}
                {publicPlaceholder('signupDomains')} and a password of at least {minPasswordLength}{' '}
                characters. Other addresses cannot sign up here.
              </p>
            </When>
            <When is="signupClosed">
              <p>
                Here the administrator makes the accounts. Write to <Support />.
              </p>
            </When>
            <When is="verification">
              <p>
                <When is="smtp">An email then asks you to confirm the address.</When>
                <When is="outbox">
                  The address must then be confirmed by an email. This server sends no mail: ask{' '}
                  <Support /> for the email.
                </When>{' '}
                Its link works for {durationText(tokenLifetimeMs['verify-email'])}.
              </p>
            </When>
            <When is="google">
              <p>You can also sign in with your Google account.</p>
            </When>
          </>
        ),
      },
      {
        id: 'forgotten-password',
        question: 'I have forgotten my password. What now?',
        answer: (
          <p>
            Press “Forgot password?” on the <a href="/login">login page</a>.
            <When is="smtp"> An email brings a link with which you set a new one.</When>
            <When is="outbox">
              {' '}
              This server sends no mail: then ask <Support /> for the email, in which there is a
              link with which you set a new one.
            </When>{' '}
            It works for {durationText(tokenLifetimeMs['reset-password'])} and once. The new
            password signs out all browsers.
          </p>
        ),
      },
      {
        id: 'price',
        question: 'What does Premium cost?',
        answer: (
          <p>
            {publicPlaceholder('price')} per month. This is a preview version, so nothing is charged
            yet: “Upgrade Now” switches the account at once, without a payment.
          </p>
        ),
      },
      {
        id: 'cancel',
        question: 'Can I cancel Premium?',
        answer: (
          <p>
            Yes, at any time: write to <Support />. A trial ends by itself, so there is nothing to
            cancel.
          </p>
        ),
      },
      {
        id: 'change-details',
        question: 'Can I change my name, my password or my address?',
        answer: (
          <p>
            Name and password on the <a href="/account">account page</a>. To change the email
            address, write to <Support />.
          </p>
        ),
      },
      {
        id: 'signed-in-elsewhere',
        question: 'Where am I signed in?',
        answer: (
          <p>
            The <a href="/account">account page</a> lists every browser that is signed in, with its
            address and when it was last used. You can end each of them there, or all others at
            once.
          </p>
        ),
      },
      {
        id: 'delete-account',
        question: 'How do I delete my account?',
        answer: (
          <p>
            Write to <Support /> from the address of the account. The account goes with all of its
            files, their links and their numbers, for good. The few lines that stay are named in the{' '}
            <a href="/privacy#deletion">privacy policy</a>.
          </p>
        ),
      },
    ],
  },
]
