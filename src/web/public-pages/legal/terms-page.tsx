import { When } from '../../built-pages/template.tsx'
import { Article, LastUpdated, Section } from '../article.tsx'
import { AllContacts, Support } from '../contacts.tsx'
import { values } from '../values.tsx'

/** The terms of service. Operators can edit this file to change them. */
export function TermsPage() {
  return (
    <Article
      title="Terms of service"
      note={<LastUpdated />}
      lead={
        <p className="lead">
          In short: share only what you may share, and keep your own copy. Anyone with a link can
          download the file until the link expires.
        </p>
      }
    >
      <Section id="service" title="The service">
        <p>
          Mayfly lets you upload files and share them by short links that expire. This server,{' '}
          {values.origin}, is run by its operator (“we”). To reach us, write to <Support />.
        </p>
        <p>By using the service you accept these terms. If you don’t accept them, don’t use it.</p>
      </Section>
      <Section id="account" title="Your account">
        <ul>
          <li>Sign up with your own email address, and keep your password secret.</li>
          <li>
            You are responsible for what happens in your account. If someone else has access to it,
            change your password, which ends all other sessions, and write to <Support />.
          </li>
          <li>Don’t create several accounts to get around the limits.</li>
        </ul>
      </Section>
      <Section id="sharing" title="What you may share">
        <p>Share only what you have the right to share. Don’t use the service for</p>
        <ul>
          <li>anything illegal;</li>
          <li>the work of others without their permission;</li>
          <li>child sexual abuse material in any form;</li>
          <li>malware, phishing or other deceptive content;</li>
          <li>private information about others without their consent;</li>
          <li>attacks on this service, its users or anyone else.</li>
        </ul>
      </Section>
      <Section id="yours" title="Your files remain yours">
        <p>
          You give us only the right to store your files and to deliver them to anyone who opens
          their links, while the links work. We look at files only for a reason, such as a report or
          a legal obligation. The <a href="/privacy">privacy policy</a> says what is kept and who
          can see it.
        </p>
      </Section>
      <Section id="links" title="Links">
        <p>
          Anyone with a link can download its files while the link works, and can pass the link on.
          If the link has a password, they need that too. An expired link can’t be opened again;
          with Premium, its files can get a new one.
        </p>
      </Section>
      <Section id="requests" title="Requests">
        <p>
          With a request, you let people without an account send you files. You are responsible for
          its title and message, and for what you share of the files you receive. Don’t ask for
          passwords, payment details or anything else that people should not send.
        </p>
        <p>
          When you send files through a request, these terms apply to you too. The person who asked
          for them can keep, share and delete them.
        </p>
      </Section>
      <Section id="limits" title="Limits and expiry">
        <ul>
          <li>
            Free: {values.freeFiles} at a time, up to {values.freeFileSize} each. Links work for{' '}
            {values.freeDays}, then the file is deleted.
          </li>
          <li>
            Premium: {values.premiumFiles}, up to {values.premiumFileSize} each. Links work for{' '}
            {values.premiumDays} and can be renewed.
          </li>
          <li>No file stays longer than {values.maxLifetime}, even if it is renewed.</li>
        </ul>
        <p>
          We may change these limits for uploads that start after the change. When the server is low
          on space, it refuses uploads.
        </p>
      </Section>
      <Section id="copies" title="Keep your own copy">
        <p>
          Mayfly is for sharing files, not for storing them. A deleted or expired file can’t be
          restored.
        </p>
      </Section>
      <Section id="price" title="Premium, trial and price">
        <p>
          Premium costs {values.price} per month. You can cancel at any time: write to <Support />.
          Each account can try it once, for {values.trial}. The trial ends by itself and costs
          nothing.
        </p>
        <p>
          This is a preview version: no payments are taken, and “Upgrade Now” switches your account
          immediately. We will announce any change, and nobody is charged without agreeing to it
          first.
        </p>
      </Section>
      <Section id="abuse" title="Reports and takedowns">
        <p>
          To report a file that violates these terms, select “Report this file” on its page, or
          write to <Support /> with its link.
        </p>
        <p>
          We take down files that violate these terms: the link ends, the file is deleted, and its
          content is blocked.
          <When is="smtp">
            {' '}
            The owner is told the reason by email. If you disagree, reply to that email.
          </When>
          <When is="outbox">
            {' '}
            This server doesn’t send email. If one of your files is missing, or if you disagree,
            write to <Support />.
          </When>{' '}
          We may close the accounts of repeat offenders.
        </p>
      </Section>
      <Section id="promises" title="Warranty and liability">
        <p>
          We do our best to keep the service running, to keep your files intact and to delete them
          on time. But this is a preview version, provided as is: it may be interrupted, change or
          end, and files may be lost.
        </p>
        <p>To the extent the law allows, we are not liable for damage from using the service.</p>
      </Section>
      <Section id="leaving" title="Leaving">
        <p>
          You can stop at any time: delete your account on the <a href="/account">account page</a>.
          If you cannot sign in, write to <Support /> from its email address. The{' '}
          <a href="/privacy#deletion">privacy policy</a> says what is deleted and what remains.
        </p>
      </Section>
      <Section id="changes" title="Changes and contact">
        <p>
          We announce changes to these terms on this page. <AllContacts />
        </p>
      </Section>
    </Article>
  )
}
