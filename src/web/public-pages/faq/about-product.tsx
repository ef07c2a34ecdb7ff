import { minPasswordLength } from '../../../shared/rules/accounts/password.ts'
import { tokenLifetimeMs } from '../../../shared/rules/accounts/session-lifetime.ts'
import { idleUploadTimeoutMs } from '../../../shared/rules/files/retention.ts'
import { analyticsDays } from '../../../shared/rules/format/day.ts'
import { durationText } from '../../../shared/rules/format/numbers.ts'
import { maxRecipients } from '../../../shared/rules/links/link-emails.ts'
import { When } from '../../built-pages/template.tsx'
import { Section } from '../article.tsx'
import { Support } from '../contacts.tsx'
import { values } from '../values.tsx'
import { PlanTable } from './plan-table.tsx'
import { Question } from './question.tsx'

/** The last three of the six FAQ categories (spec §2). */
export const productFaqSections = [
  <Section key="premium-features" id="premium-features" title="Premium Features">
    <Question id="plans" title="What is the difference between Free and Premium?">
      <PlanTable />
    </Question>
    <Question id="trial" title="How does the free trial work?">
      <p>
        Each account can try Premium once, for {values.trial}. Start the trial on the dashboard,
        which shows the days left.
        <When is="smtp"> Emails remind you before it ends.</When> Afterwards the account is Free
        again. Nothing is charged, and active links keep their dates.
      </p>
    </Question>
    <Question id="file-manager" title="What can the File Manager do?">
      <p>
        Sort and search your files, select many at once, copy their links or delete them together.
        In its settings you choose the default expiry for new uploads
        <When is="smtp">
          , and whether you get an email at the first download of a file and a day before a link
          expires
        </When>
        .
      </p>
    </Question>
    <Question id="analytics" title="What does Analytics show?">
      <p>
        Your files by type, the links that expire within a day, the downloads of the last{' '}
        {analyticsDays} days, and your most downloaded files.
      </p>
    </Question>
    <Question id="branding" title="What is custom branding?">
      <p>
        Your name, logo, color and message on your download pages and in link previews. Set it up on
        the account page. It is shown while you have Premium.
      </p>
    </Question>
    <Question id="links-by-email" title="Can Mayfly send a link by email?">
      <p>
        Yes: select “Send by email” in the menu of a link, and enter up to {maxRecipients} addresses
        and a message. Everyone gets an email of their own, with your name and brand, and replies go
        to you. Every email has a link that stops such emails. If one can’t be delivered, the list
        of your files says so.
      </p>
      <p>
        The operator of a server can turn this off. With Free, “Email link” opens an email in your
        own email program.
      </p>
    </Question>
    <Question id="premium-ends" title="What happens to my files when Premium ends?">
      <p>Active links keep their dates. Expired files that could still be renewed are deleted.</p>
      <p>
        If you have more files than Free allows, they stay until they expire. You can upload again
        when you are below the limit.
      </p>
    </Question>
  </Section>,
  <Section key="technical-questions" id="technical-questions" title="Technical Questions">
    <Question id="largest-file" title="How large can a file be?">
      <p>
        {values.freeFileSize} with Free and {values.premiumFileSize} with Premium. Compress larger
        files with zip or 7z, or split them.
      </p>
    </Question>
    <Question id="lost-connection" title="What if my connection breaks while I upload?">
      <p>
        Failed uploads retry automatically and continue where they stopped, however long the
        connection is down. If an upload keeps failing although the server can be reached, it stops
        and shows the reason.
      </p>
    </Question>
    <Question id="closed-tab" title="What if I close the page, or the computer crashes?">
      <p>
        Open Mayfly in the same browser within {durationText(idleUploadTimeoutMs)}. The upload is
        shown as paused and continues where it stopped. Your browser may ask you to choose the file
        again.
      </p>
    </Question>
    <Question id="phones" title="Can I upload from a phone?">
      <p>
        Yes. Keep the page open while it uploads, because phones stop pages in the background. Where
        the browser allows it, the page keeps the screen on.
      </p>
    </Question>
    <Question id="browsers" title="Which browsers work?">
      <p>
        To upload and manage files, current versions of Chrome, Edge, Firefox and Safari. To
        download, any browser or tool.
      </p>
    </Question>
    <Question id="changed-names" title="Why is the name of my file slightly different?">
      <p>
        Names are cleaned so that every system can save them: quotes, control characters and{' '}
        {'< > : " / \\ | ? *'} are removed, dashes become hyphens, and repeated spaces become one.
      </p>
    </Question>
    <Question id="api" title="Is there an API?">
      <p>
        Yes. See the <a href="/api/docs">API reference</a>.
      </p>
    </Question>
  </Section>,
  <Section key="account-billing" id="account-billing" title="Account & Billing">
    <Question id="sign-up" title="How do I get an account?">
      <When is="signupOpen">
        <p>
          <a href="/signup">Sign up</a> with your name, an email address and a password of at least{' '}
          {minPasswordLength} characters.
        </p>
      </When>
      <When is="signupDomains">
        <p>
          <a href="/signup">Sign up</a> with an email address at {values.signupDomains} and a
          password of at least {minPasswordLength} characters. Other addresses can’t sign up here.
        </p>
      </When>
      <When is="signupClosed">
        <p>
          On this server, the administrator creates accounts. Write to <Support />.
        </p>
      </When>
      <When is="verification">
        <p>
          <When is="smtp">An email asks you to confirm the address.</When>
          <When is="outbox">
            You confirm the address with an email. This server doesn’t send email: ask <Support />{' '}
            for it.
          </When>{' '}
          Its link works for {durationText(tokenLifetimeMs['verify-email'])}.
        </p>
      </When>
      <When is="google">
        <p>You can also sign in with your Google account.</p>
      </When>
    </Question>
    <Question id="forgotten-password" title="I forgot my password. What now?">
      <p>
        Select “Forgot password?” on the <a href="/login">login page</a>.
        <When is="smtp"> You get an email with a link to set a new one.</When>
        <When is="outbox">
          {' '}
          This server doesn’t send email: ask <Support /> for the email with the link to set a new
          one.
        </When>{' '}
        The link works once, for {durationText(tokenLifetimeMs['reset-password'])}. A new password
        signs you out everywhere.
      </p>
    </Question>
    <Question id="price" title="What does Premium cost?">
      <p>
        {values.price} per month. In this preview version nothing is charged: “Upgrade Now” switches
        your account without a payment.
      </p>
    </Question>
    <Question id="cancel" title="Can I cancel Premium?">
      <p>
        Yes, at any time: write to <Support />. A trial ends by itself.
      </p>
    </Question>
    <Question id="change-details" title="Can I change my name, password or email address?">
      <p>
        You can change your name and password on the <a href="/account">account page</a>. To change
        your email address, write to <Support />.
      </p>
    </Question>
    <Question id="signed-in-elsewhere" title="Where am I signed in?">
      <p>
        The <a href="/account">account page</a> lists every browser that is signed in, with its IP
        address and when it was last used. You can end these sessions there.
      </p>
    </Question>
    <Question id="delete-account" title="How do I delete my account?">
      <p>
        Choose 'Delete account' at the end of the <a href="/account">account page</a>. The account
        and all its files and links are deleted immediately and for good. If you cannot sign in,
        write to <Support /> from the email address of the account. The{' '}
        <a href="/privacy#deletion">privacy policy</a> says what remains.
      </p>
    </Question>
  </Section>,
]
