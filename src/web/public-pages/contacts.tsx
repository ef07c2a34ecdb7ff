import { publicPlaceholder } from '../../shared/public-placeholders.ts'
import { When } from './when.tsx'

/**
 * Whom to write to for help, within a sentence: the support address as a link that opens an email.
 * Where no mail reaches that address, a link to the feedback form, which needs no mail.
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

/** The same for questions about personal data. */
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

/** The support address itself, whether or not mail reaches it (spec §2, FAQ and feedback). */
export function SupportAddress() {
  return <MailLink to="supportEmail" />
}

/** The address for questions about personal data, whether or not mail reaches it. */
export function PrivacyAddress() {
  return <MailLink to="privacyEmail" />
}

/** Names both addresses. Where mail reaches nobody there, it says so. */
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

/** Says that mail to the support address reaches nobody, and what to use instead. */
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
