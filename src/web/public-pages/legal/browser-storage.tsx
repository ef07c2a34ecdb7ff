import type { ReactNode } from 'react'
import { longestLifeMs } from '../../../shared/rules/accounts/session-life.ts'
import { tokenLifetimeMs } from '../../../shared/rules/accounts/token-purpose.ts'
import {
  browserFileKeptMs,
  googleRequestKeptMs,
  knownBrowserKeptMs,
} from '../../../shared/rules/files/kept-times.ts'
import { durationText } from '../../../shared/rules/format/duration-text.ts'
import { signedInHint } from '../../../shared/signed-in-hint.ts'
import { When } from '../when.tsx'

interface Row {
  name: ReactNode
  purpose: ReactNode
  lasts: string
}

/**
 * The name of a cookie. With HTTPS, the name begins with `__Host-`. Then browsers accept the cookie
 * only from this host.
 */
function HostCookie({ name }: { name: string }) {
  return (
    <code>
      <When is="https">__Host-</When>
      {name}
    </code>
  )
}

const cookies: readonly Row[] = [
  {
    name: <HostCookie name="mayfly.session_token" />,
    purpose: 'Keeps you signed in. Scripts cannot read it.',
    lasts: durationText(longestLifeMs),
  },
  {
    name: <code>{signedInHint}</code>,
    purpose: 'Tells our pages that somebody is signed in here. It opens nothing.',
    lasts: durationText(longestLifeMs),
  },
  {
    name: <HostCookie name="mayfly.known_browser" />,
    purpose:
      'Shows that this browser signed in before, so that somebody who guesses at your password cannot lock you out. It signs nobody in.',
    lasts: durationText(knownBrowserKeptMs),
  },
]

const cookieOfSignup: Row = {
  name: <HostCookie name="mayfly.unverified" />,
  purpose: 'Which signup you mean when you ask for its email again.',
  lasts: durationText(tokenLifetimeMs['verify-email']),
}

const cookieOfGoogle: Row = {
  name: <HostCookie name="mayfly.google" />,
  purpose: 'Ties the answer of Google to the browser that asked.',
  lasts: durationText(googleRequestKeptMs),
}

/**
 * Lists every cookie that the server sets, and everything else that its pages store in the browser.
 */
export function BrowserStorage() {
  return (
    <>
      <p>
        All cookies are our own and needed for what they do. None follows you anywhere, so there is
        nothing to agree to.
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">Cookie</th>
            <th scope="col">What for</th>
            <th scope="col">Lasts</th>
          </tr>
        </thead>
        <tbody>
          {cookies.map((row) => (
            <CookieRow key={row.lasts + String(row.purpose)} {...row} />
          ))}
          <When is="verification">
            <CookieRow {...cookieOfSignup} />
          </When>
          <When is="google">
            <CookieRow {...cookieOfGoogle} />
          </When>
        </tbody>
      </table>
      <p>
        Our pages also keep a few things in the browser’s own storage: whether you like it light or
        dark, which notices you have closed, a message for the next page, whether the list of
        uploads is open, up to when the administrator has seen feedback, and the uploads themselves
        while they are under way (name, size, how far they are, and where the browser finds the
        file), so that they go on after a reload. A file that you drop on the front page before you
        have signed in waits there too, and so does one that you share with the installed app, for{' '}
        {durationText(browserFileKeptMs)} at most: your first visit after that removes it. None of
        this is sent to anybody. Deleting the data of this site in your browser removes all of it.
      </p>
    </>
  )
}

function CookieRow({ name, purpose, lasts }: Row) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{purpose}</td>
      <td>{lasts}</td>
    </tr>
  )
}
