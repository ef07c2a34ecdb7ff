import { MailX } from 'lucide-react'
import { placeholder } from '../../shared/placeholders.ts'
import { type PageAssets, When } from '../built-pages/template.tsx'
import { HomeLink, LinkPage, tagline } from './page-frame.tsx'

/**
 * The page that stops links by email. It works without scripts: the form posts to the page's own
 * URL.
 */
export function OptOutPage(props: { assets: PageAssets }) {
  const host = placeholder('host')
  return (
    <LinkPage
      assets={props.assets}
      title="Links by email · Mayfly"
      sender={<HomeLink />}
      footer={tagline}
    >
      <section className="card">
        <When is="form">
          <h1>Stop links by email?</h1>
          <p className="lead muted">
            Nobody will be able to send links to your address with {host} any more. Emails about an
            account of yours still arrive.
          </p>
          <form method="post">
            <button className="button" type="submit">
              <MailX size={18} strokeWidth={2} aria-hidden="true" />
              Stop these emails
            </button>
          </form>
        </When>
        <When is="done">
          <h1>Emails stopped</h1>
          <p className="lead muted">
            You will no longer receive links by email from {host}. Senders are not notified.
          </p>
        </When>
        <When is="invalid">
          <h1>Invalid address</h1>
          <p className="lead muted">
            A part of this page's address is missing. Open the link in the email again, or copy all
            of it.
          </p>
        </When>
      </section>
    </LinkPage>
  )
}
