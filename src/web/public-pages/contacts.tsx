import { publicPlaceholder } from '../../shared/public-placeholders.ts'

/** The support address as a link that opens a mail. */
export function Support() {
  return <MailLink to="supportEmail" />
}

/** The address for questions about personal data, as a link that opens a mail. */
export function PrivacyContact() {
  return <MailLink to="privacyEmail" />
}

function MailLink({ to }: { to: 'supportEmail' | 'privacyEmail' }) {
  const address = publicPlaceholder(to)
  return (
    <a className="address" href={`mailto:${address}`}>
      {address}
    </a>
  )
}
