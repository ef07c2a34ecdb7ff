import { publicPlaceholder } from '../../shared/public-placeholders.ts'
import { When } from './when.tsx'

/**
 * Says within a sentence whom to ask for help. It shows the support address as a link that opens an
 * email. If no mail reaches that address, it shows a link to the feedback form instead, which needs
 * no mail.
 */
export function Support() {
  return (
    <>
      <When is="supportMail">
        <SupportAddress />
      </When>
      <When is="supportForm">
        <FormOfOperator />
      </When>
    </>
  )
}

/** Says in the same way whom to ask about personal data. */
export function PrivacyContact() {
  return (
    <>
      <When is="privacyMail">
        <PrivacyAddress />
      </When>
      <When is="privacyForm">
        <FormOfOperator />
      </When>
    </>
  )
}

/** Shows the support address, whether or not mail reaches it (spec §2, FAQ and feedback). */
export function SupportAddress() {
  return <MailLink to="supportEmail" />
}

/** Shows the address for questions about personal data, whether or not mail reaches it. */
export function PrivacyAddress() {
  return <MailLink to="privacyEmail" />
}

/**
 * Names the address for support and the one for questions about personal data. If no mail reaches
 * the support address, it says so.
 */
export function AllContacts() {
  return (
    <>
      Questions go to <SupportAddress />, about your data to <PrivacyAddress />.
      <When is="supportForm">
        {' '}
        <NotSetUp />
      </When>
    </>
  )
}

/** Says that email to the support address reaches nobody, and what to use instead. */
export function NotSetUp() {
  return (
    <>
      Nobody has set up an address for mail on this server yet: the{' '}
      <a href="/feedback">feedback form</a> reaches its operator.
    </>
  )
}

function FormOfOperator() {
  return <a href="/feedback">the operator of this server</a>
}

function MailLink({ to }: { to: 'supportEmail' | 'privacyEmail' }) {
  const address = publicPlaceholder(to)
  return (
    <a className="address" href={`mailto:${address}`}>
      {address}
    </a>
  )
}
