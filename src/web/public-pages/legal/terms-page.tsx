import { publicPlaceholder } from '../../../shared/public-placeholders.ts'
import { AllContacts, Support } from '../contacts.tsx'
import { When } from '../when.tsx'
import { LegalPage, type LegalSection } from './legal-page.tsx'

const sections: readonly LegalSection[] = [
  {
    id: 'service',
    title: 'What this is',
    body: (
      <>
        <p>
          Mayfly lets you upload a file and hand it over by a short link that ends. This server,{' '}
          {publicPlaceholder('origin')}, is run by its operator. “We” in these terms is the
          operator. To reach us, write to <Support />.
        </p>
        <p>By using the service you accept these terms. If you do not, please do not use it.</p>
      </>
    ),
  },
  {
    id: 'account',
    title: 'Your account',
    body: (
      <ul>
        <li>Sign up with an address of your own, and keep your password to yourself.</li>
        <li>
          What is done with your account counts as done by you. If somebody else has got in, set a
          new password, which signs out all others, and write to <Support />.
        </li>
        <li>Do not make several accounts to get round the limits of one.</li>
      </ul>
    ),
  },
  {
    id: 'sharing',
    title: 'What you may share',
    body: (
      <>
        <p>Share what you have the right to share. Do not use the service for</p>
        <ul>
          <li>anything that is against the law, or that helps somebody to break it;</li>
          <li>the work of others without their permission;</li>
          <li>pictures or films of the abuse of children, in any form;</li>
          <li>malware, or pages and files that are made to deceive people;</li>
          <li>private facts about other people that they do not want to be shared;</li>
          <li>attacks on this service, its users or anybody else.</li>
        </ul>
      </>
    ),
  },
  {
    id: 'yours',
    title: 'Your files stay yours',
    body: (
      <p>
        You give us no rights to your files, except to store them and to hand them to whoever opens
        their links, for as long as those work. Nobody looks into them without a reason. A report,
        or a duty by law, is such a reason. The <a href="/privacy">privacy policy</a> says what is
        kept and who can see it.
      </p>
    ),
  },
  {
    id: 'links',
    title: 'Links',
    body: (
      <p>
        Whoever has a link can download the file while the link works, and can pass the link on. To
        whom you send it is up to you. A link that is over cannot be opened again; with Premium a
        file can get a new one.
      </p>
    ),
  },
  {
    id: 'limits',
    title: 'Limits, and the end of a file',
    body: (
      <>
        <ul>
          <li>
            Free: {publicPlaceholder('freeFiles')} at the same time, up to{' '}
            {publicPlaceholder('freeFileSize')} each. Links work for {publicPlaceholder('freeDays')}
            , and then the file is deleted.
          </li>
          <li>
            Premium: {publicPlaceholder('premiumFiles')}, up to{' '}
            {publicPlaceholder('premiumFileSize')} each. Links work for{' '}
            {publicPlaceholder('premiumDays')} and can be renewed.
          </li>
          <li>
            No file stays longer than {publicPlaceholder('maxLifetime')}, whatever is done with its
            link.
          </li>
        </ul>
        <p>
          We may change these limits. A change holds for uploads that begin after it. When this
          server is short of space, it refuses uploads and says so.
        </p>
      </>
    ),
  },
  {
    id: 'copies',
    title: 'Keep your own copy',
    body: (
      <p>
        This is a way to hand files over, not a place to keep them. A file that is deleted, by you
        or by time, cannot be brought back.
      </p>
    ),
  },
  {
    id: 'price',
    title: 'Premium, its trial and its price',
    body: (
      <>
        <p>
          Premium costs {publicPlaceholder('price')} per month and can be cancelled at any time, by
          writing to <Support />. Each account can try it once, for {publicPlaceholder('trial')}.
          The trial ends by itself, and nothing is charged for it.
        </p>
        <p>
          This is a preview version: no payments are taken yet, and “Upgrade Now” switches an
          account at once. Before that changes we say so, and nobody is charged without agreeing to
          it first.
        </p>
      </>
    ),
  },
  {
    id: 'abuse',
    title: 'Reports and takedowns',
    body: (
      <>
        <p>
          Tell us about a file that breaks these terms: press “Report this file” on its page, or
          write to <Support /> and name its link.
        </p>
        <p>
          We take down what breaks them: the link ends, the file is deleted, and the same content
          cannot be uploaded here again.
          <When is="smtp">
            {' '}
            The owner is told by email, with the reason. If you think that we were wrong, answer
            that email.
          </When>
          <When is="outbox">
            {' '}
            This server sends no mail. If a file of yours is gone before its time, or if you think
            that we were wrong, write to <Support />, who can tell you the reason.
          </When>{' '}
          We may close the account of somebody who does it again.
        </p>
      </>
    ),
  },
  {
    id: 'promises',
    title: 'What we promise, and what we do not',
    body: (
      <>
        <p>
          We do what we can to keep the service up and your files whole, and to delete them when
          their time is over. But this is a preview version, offered as it is. It may be
          interrupted, change or end, and files can be lost.
        </p>
        <p>
          As far as the law allows, we are not liable for damage that comes from using it. Where the
          law says otherwise, the law counts.
        </p>
      </>
    ),
  },
  {
    id: 'leaving',
    title: 'Leaving',
    body: (
      <p>
        You can stop at any time. To have your account deleted with everything in it, write to{' '}
        <Support /> from its address. What goes and what stays is in the{' '}
        <a href="/privacy#deletion">privacy policy</a>.
      </p>
    ),
  },
  {
    id: 'changes',
    title: 'Changes and contact',
    body: (
      <p>
        Changes of these terms are announced on this page. <AllContacts />
      </p>
    ),
  },
]

/** The terms of service. An operator who needs other terms changes them here. */
export function TermsPage() {
  return (
    <LegalPage
      title="Terms of service"
      lead={
        <p className="lead">
          In short: share what is yours to share, keep your own copy, and know that whoever has a
          link has the file until the link ends.
        </p>
      }
      sections={sections}
    />
  )
}
