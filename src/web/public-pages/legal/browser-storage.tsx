import {
  maxSessionAgeMs,
  tokenLifetimeMs,
} from '../../../shared/rules/accounts/session-lifetime.ts'
import {
  browserFileRetentionMs,
  googleSignInTimeoutMs,
  knownBrowserRetentionMs,
} from '../../../shared/rules/files/retention.ts'
import { durationText } from '../../../shared/rules/format/numbers.ts'
import { signedInHintCookie } from '../../../shared/signed-in-hint.ts'
import { When } from '../../built-pages/template.tsx'

/**
 * A row in the cookie table. Over HTTPS, the cookie has a `__Host-` prefix, which keeps other hosts
 * from setting it, unless `anyHost` is true.
 */
function Cookie(props: { name: string; anyHost?: boolean; lastsMs: number; children: string }) {
  return (
    <tr>
      <th scope="row">
        <code>
          {props.anyHost ? null : <When is="https">__Host-</When>}
          {props.name}
        </code>
      </th>
      <td>{props.children}</td>
      <td>{durationText(props.lastsMs)}</td>
    </tr>
  )
}

/** Lists all cookies and other data that our pages store in the browser. */
export function BrowserStorage() {
  return (
    <>
      <p>All cookies are our own and necessary. None of them tracks you.</p>
      <table>
        <thead>
          <tr>
            <th scope="col">Cookie</th>
            <th scope="col">Purpose</th>
            <th scope="col">Lasts</th>
          </tr>
        </thead>
        <tbody>
          <Cookie name="mayfly.session_token" lastsMs={maxSessionAgeMs}>
            Keeps you signed in. Scripts cannot read it.
          </Cookie>
          <Cookie name={signedInHintCookie} anyHost lastsMs={maxSessionAgeMs}>
            Tells our pages that someone is signed in. It gives no access.
          </Cookie>
          <Cookie name="mayfly.known_browser" lastsMs={knownBrowserRetentionMs}>
            Shows that this browser signed in before, so that people who guess your password can’t
            lock you out. It gives no access.
          </Cookie>
          <When is="verification">
            <Cookie name="mayfly.unverified" lastsMs={tokenLifetimeMs['verify-email']}>
              Identifies your signup when you ask for its email again.
            </Cookie>
          </When>
          <When is="google">
            <Cookie name="mayfly.google" lastsMs={googleSignInTimeoutMs}>
              Ties the answer from Google to the browser that asked.
            </Cookie>
          </When>
        </tbody>
      </table>
      <p>
        Our pages also store a few things in your browser: the light or dark theme, which notices
        you have closed, whether several files get one link, a message for the next page, the email
        address you have just signed up with, and the uploads themselves while they are under way
        (name, size, progress, and where the browser finds the file), so that they can resume;
        signing out removes those. Files that you send through a request are listed for a day after
        they have arrived, on the page of that request. A file that you drop on the front page
        before you have signed in is stored too, and so is one that you share with the installed
        app, for {durationText(browserFileRetentionMs)} at most: your first visit after that removes
        it. None of this is sent to anyone. To remove it all, delete the data of this site in your
        browser.
      </p>
    </>
  )
}
