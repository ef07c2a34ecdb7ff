import { When } from '../built-pages/template.tsx'
import { values } from './values.tsx'

/**
 * Says whom to contact for help: the support address if it receives email, otherwise the feedback
 * form.
 */
export function Support() {
  return (
    <>
      <When is="supportMail">
        <EmailLink address={values.supportEmail} />
      </When>
      <When is="supportForm">
        <OperatorLink />
      </When>
    </>
  )
}

/** Says whom to contact with questions about personal data. */
export function PrivacyContact() {
  return (
    <>
      <When is="privacyMail">
        <EmailLink address={values.privacyEmail} />
      </When>
      <When is="privacyForm">
        <OperatorLink />
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

function OperatorLink() {
  return <a href="/feedback">the operator of this server</a>
}

export function EmailLink({ address }: { address: string }) {
  return (
    <a className="address" href={`mailto:${address}`}>
      {address}
    </a>
  )
}
