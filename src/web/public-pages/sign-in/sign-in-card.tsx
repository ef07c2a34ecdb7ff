import type { ReactNode } from 'react'
import { When } from '../../built-pages/template.tsx'
import { GoogleLogo } from '../../ui/google-logo.tsx'
import { values } from '../values.tsx'

export interface SignInCardProps {
  title: string
  /** A sentence under the heading. */
  lead: ReactNode
  /** What its form does. Undefined for a card without a form. */
  action?: 'Signing in' | 'Signing up'
  children: ReactNode
  /** A link to another page, below the card. */
  footer?: ReactNode
}

/** The frame of the login and the signup: a card with one form. */
export function SignInCard({ title, lead, action, children, footer }: SignInCardProps) {
  return (
    <>
      <div className="card">
        <h1>{title}</h1>
        <p className="muted" id="lead">
          {lead}
        </p>
        {action && (
          <noscript>
            <p className="note">{`${action} needs JavaScript. Download links work without it.`}</p>
          </noscript>
        )}
        {children}
        {/* For the script's messages. */}
        <p id="no-email" hidden>
          <NoEmailNote />
        </p>
      </div>
      {footer ? <p className="muted">{footer}</p> : null}
    </>
  )
}

/** A link that passes on the page to open after signing in. */
export function NextLink({ href, children }: { href: string; children: string }) {
  return (
    <a className="link" href={href} data-next="">
      {children}
    </a>
  )
}

/** Tells visitors that files kept in this browser can be uploaded after signing in. */
export function KeptFilesNote() {
  return <p className="note" role="status" id="kept-files" hidden />
}

/** A button that starts Google sign-in, if the server supports it (spec §2). */
export function GoogleButton({ children }: { children: string }) {
  return (
    <When is="google">
      <p className="or" aria-hidden="true">
        or
      </p>
      <a className="button large wide" href="/api/login" data-next="">
        <GoogleLogo />
        {children}
      </a>
    </When>
  )
}

/** Says whom to ask for help, if this server can't send email. */
export function NoEmailNote() {
  return (
    <When is="outbox">
      This server doesn't send email.{' '}
      <When is="supportMail">Write to {values.supportEmail} for the link.</When>
      <When is="supportForm">Ask its operator for the link.</When>
    </When>
  )
}
