import { When } from '../built-pages/template.tsx'
import { values } from './values.tsx'

/** Says whom to contact for help. */
export function Support() {
  return <Contact about="support" />
}

/** Says whom to contact with questions about personal data. */
export function PrivacyContact() {
  return <Contact about="privacy" />
}

/** The email address for a concern if it receives email, otherwise the feedback form. */
function Contact({ about }: { about: 'support' | 'privacy' }) {
  return (
    <>
      <When is={`${about}Mail`}>
        <EmailLink address={values[`${about}Email`]} />
      </When>
      <When is={`${about}Form`}>
        <a href="/feedback">the operator of this server</a>
      </When>
    </>
  )
}

/** Both contact addresses, for the FAQ and the legal pages (spec §2). */
export function AllContacts() {
  return (
    <>
      For questions, write to <EmailLink address={values.supportEmail} />; about your data, to{' '}
      <EmailLink address={values.privacyEmail} />.
      <When is="supportForm">
        {' '}
        <NoSupportEmail />
      </When>
    </>
  )
}

/** Points to the feedback form if there is no support email address. */
export function NoSupportEmail() {
  return (
    <>
      This server has no support email yet. Use the <a href="/feedback">feedback form</a> to reach
      its operator.
    </>
  )
}

export function EmailLink({ address }: { address: string }) {
  return (
    <a className="address" href={`mailto:${address}`}>
      {address}
    </a>
  )
}
