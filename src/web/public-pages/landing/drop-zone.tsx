import { Upload } from 'lucide-react'
import type { ReactNode } from 'react'
import { When } from '../../built-pages/template.tsx'
import { values, WhenSignupIsOpen } from '../values.tsx'

/**
 * The landing page's drop zone. Its script (`enable-drop-zone.ts`) stores dropped files in the
 * browser and follows the link `go-on`. Without scripts, the text suggests an alternative.
 */
export function DropZone() {
  return (
    <section
      className="drop"
      id="drop"
      aria-labelledby="drop-title"
      data-largest={values.largestFileBytes}
      data-limit={values.premiumFileSize}
    >
      <Upload size={28} strokeWidth={1.6} aria-hidden="true" />
      <div role="status">
        <h2 id="drop-title">
          <span className="can-drag">Drop a file to begin</span>
          <span className="cannot-drag">Choose a file to begin</span>
        </h2>
        <p className="muted" id="drop-text">
          <VisitorText
            signUp="It waits in this browser until you have signed up."
            signIn="It waits in this browser until you have signed in."
            signedIn="It waits in this browser until you upload it."
          />
        </p>
      </div>
      <div className="actions">
        <VisitorText
          signUp={<ContinueLink href="/signup">Sign up to send it</ContinueLink>}
          signIn={<ContinueLink href="/login">Sign in to send it</ContinueLink>}
          signedIn={<ContinueLink href="/">Go to the dashboard</ContinueLink>}
        />
        <button className="button" id="choose" type="button">
          Choose a file
        </button>
        <button className="button quiet" id="remove" type="button" hidden>
          Remove
        </button>
      </div>
      <p className="without-scripts">Uploading needs JavaScript. Downloading does not.</p>
    </section>
  )
}

/**
 * Renders one of three texts, depending on whether the visitor can sign up, can only sign in, or is
 * already signed in.
 */
function VisitorText(props: { signUp: ReactNode; signIn: ReactNode; signedIn: ReactNode }) {
  return (
    <>
      <When is="visitor">
        <WhenSignupIsOpen>{props.signUp}</WhenSignupIsOpen>
        <When is="signupClosed">{props.signIn}</When>
      </When>
      <When is="signedIn">{props.signedIn}</When>
    </>
  )
}

function ContinueLink({ href, children }: { href: string; children: string }) {
  return (
    <a className="button primary" id="go-on" href={href} hidden>
      {children}
    </a>
  )
}
