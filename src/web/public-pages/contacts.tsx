import { When } from '../built-pages/template.tsx'
import { values } from './values.tsx'

/** Whom to ask for help: the support address, or the feedback form if no email reaches it. */
export function Support() {
  return (
    <>
      <When is="supportMail">
        <EmailLink address={values.supportEmail} />
      </When>
      <When is="supportForm">
        <Operator />
      </When>
    </>
  )
}

/** Whom to ask about personal data. */
export function PrivacyContact() {
  return (
    <>
      <When is="privacyMail">
        <EmailLink address={values.privacyEmail} />
      </When>
      <When is="privacyForm">
        <Operator />
      </When>
    </>
  )
}

/** Both addresses, as spec §2 wants them on the FAQ and the legal pages. */
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

/** Says that email to the support address reaches nobody. */
export function NoSupportEmail() {
  return (
    <>
      This server has no support email yet. Use the <a href="/feedback">feedback form</a> to reach
      its operator.
    </>
  )
}

function Operator() {
  return <a href="/feedback">the operator of this server</a>
}

export function EmailLink({ address }: { address: string }) {
  return (
    <a className="address" href={`mailto:${address}`}>
      {address}
    </a>
  )
}
