import { Check, Upload } from 'lucide-react'
import type { ReactNode } from 'react'
import { publicPlaceholder } from '../../../shared/public-placeholders.ts'
import { withNext } from '../../../shared/rules/accounts/next-path.ts'
import { trialOfferPath } from '../../../shared/rules/tiers/trial.ts'
import { Support } from '../contacts.tsx'
import { When, WhereSignupIsPossible } from '../when.tsx'
import { Examples } from './examples.tsx'
import { LifeOfAFile } from './life-of-a-file.tsx'

/**
 * The drop zone. The page's script makes it work: it keeps a dropped file in the browser until the
 * visitor has signed up or signed in. The link `go-on` leads to the page for that, and the script
 * opens the same page after a drop. Without scripts, the drop zone says what to do instead.
 */
function DropZone() {
  return (
    <section
      className="drop"
      id="drop"
      aria-labelledby="drop-title"
      data-largest={publicPlaceholder('largestFileBytes')}
      data-limit={publicPlaceholder('premiumFileSize')}
    >
      <Upload size={28} strokeWidth={1.6} aria-hidden="true" />
      <div role="status">
        <h2 id="drop-title">
          <span className="can-drag">Drop a file to begin</span>
          <span className="cannot-drag">Choose a file to begin</span>
        </h2>
        <p className="muted" id="drop-text">
          <When is="visitor">
            <WhereSignupIsPossible>
              It waits in this browser until you have signed up.
            </WhereSignupIsPossible>
            <When is="signupClosed">It waits in this browser until you have signed in.</When>
          </When>
          <When is="signedIn">It waits in this browser until you upload it.</When>
        </p>
      </div>
      <div className="actions">
        <When is="visitor">
          <WhereSignupIsPossible>
            <a className="button primary" id="go-on" href="/signup" hidden>
              Sign up to send it
            </a>
          </WhereSignupIsPossible>
          <When is="signupClosed">
            <a className="button primary" id="go-on" href="/login" hidden>
              Sign in to send it
            </a>
          </When>
        </When>
        <When is="signedIn">
          <a className="button primary" id="go-on" href="/" hidden>
            Go to the dashboard
          </a>
        </When>
        <button className="button" id="choose" type="button">
          Choose a file
        </button>
        <button className="button quiet" id="remove" type="button" hidden>
          Remove
        </button>
      </div>
      <p className="without-scripts">
        Uploading needs JavaScript. Whoever gets your link needs none.
      </p>
    </section>
  )
}

/** Says who can sign up, where not everybody can. */
function WhoCanSignUp() {
  return (
    <When is="visitor">
      <When is="signupDomains">
        <p className="muted small who">
          Only addresses of {publicPlaceholder('signupDomains')} can sign up here.
        </p>
      </When>
      <When is="signupClosed">
        <p className="muted small who">
          Signing up is closed: the administrator makes the accounts here. To ask for one, write to{' '}
          <Support />.
        </p>
      </When>
    </When>
  )
}

function Hero() {
  return (
    <div className="hero">
      <div>
        <h1>
          Files that leave <br />
          on time.
        </h1>
        <p className="lead muted">
          Upload a file and send its short link. It works for {publicPlaceholder('premiumDays')},
          then it is over. No file stays longer than {publicPlaceholder('maxLifetime')}, and nobody
          needs an account to download.
        </p>
        <div className="go">
          <a className="button primary large" href="/api/login">
            Get Started
          </a>
          <span className="muted small">
            Free: {publicPlaceholder('freeFilesAtOnce')}, up to {publicPlaceholder('freeFileSize')}{' '}
            each.
          </span>
        </div>
        <WhoCanSignUp />
      </div>
      <figure>
        <div className="card float">
          <DropZone />
          <Examples />
        </div>
        <figcaption className="muted small">
          Examples. Every link shows how long it has left.
        </figcaption>
      </figure>
    </div>
  )
}

function Feature(props: { title: string; premium?: boolean; children: ReactNode }) {
  return (
    <li className="card">
      <h3>
        {props.title} {props.premium ? <span className="badge">Premium</span> : null}
      </h3>
      <p className="muted">{props.children}</p>
    </li>
  )
}

function Features() {
  return (
    <section className="band" aria-labelledby="features">
      <h2 id="features">What it does</h2>
      <ul className="six">
        <Feature title="One short link for each file">
          Ten characters that nobody guesses and that are never given twice. It works in a browser,
          with curl and on a phone.
        </Feature>
        <Feature title="Over means over">
          A link ends at its very second, by rule. No clean-up has to come by first, and the address
          stays dead.
        </Feature>
        <Feature title="Uploads that finish">
          A lost connection does not lose the upload: it goes on with the part it had reached.
          Several parts travel at once.
        </Feature>
        <Feature title="Renew, with a new link" premium>
          Before or after its end, for another {publicPlaceholder('premiumDays')}. The bar shows
          what the new link would get before you choose.
        </Feature>
        <Feature title="See what was downloaded" premium>
          Downloads by day and by file. Opening the page counts nothing, and neither do the previews
          that chat programs fetch.
        </Feature>
        <Feature title="Your name on the page" premium>
          Your logo, your colour and a message where your people download. The colour is kept
          readable in light and dark.
        </Feature>
      </ul>
    </section>
  )
}

function Lines({ of }: { of: readonly string[] }) {
  return (
    <ul>
      {of.map((line) => (
        <li key={line}>
          <Check size={18} aria-hidden="true" />
          {line}
        </li>
      ))}
    </ul>
  )
}

/** The two plans (spec §1, §2). The price of Premium comes from the settings. */
function Plans() {
  return (
    <section className="band" aria-labelledby="plans">
      <h2 id="plans">Two plans</h2>
      <div className="plans">
        <article className="card plan">
          <h3>Free</h3>
          <p className="price">$0</p>
          <Lines
            of={[
              publicPlaceholder('freeFilesAtOnceFirst'),
              `Up to ${publicPlaceholder('freeFileSize')} each`,
              `Links work for ${publicPlaceholder('freeDays')}`,
            ]}
          />
          <WhereSignupIsPossible>
            <a className="button wide" href="/signup">
              Start with Free
            </a>
          </WhereSignupIsPossible>
        </article>
        <article className="card plan loud">
          <h3>
            Premium <span className="badge">{publicPlaceholder('trial')} free</span>
          </h3>
          <p className="price">
            {publicPlaceholder('price')} <span>per month, cancel at any time</span>
          </p>
          <Lines
            of={[
              publicPlaceholder('premiumFilesFirst'),
              `Up to ${publicPlaceholder('premiumFileSize')} each`,
              `${publicPlaceholder('premiumDays')}, and renewal`,
              'File Manager and Analytics',
              'Custom branding',
              'Priority support',
            ]}
          />
          <WhereSignupIsPossible>
            <a className="button wide" href={withNext('/signup', trialOfferPath)}>
              Start with {publicPlaceholder('trial')} free
            </a>
          </WhereSignupIsPossible>
        </article>
      </div>
      <p className="muted small">
        A preview version: nothing is charged yet. The {publicPlaceholder('trial')} can be started
        once, from the dashboard.
      </p>
    </section>
  )
}

/** The landing page (spec §2), with a hero, six feature cards and two plans. */
export function LandingPage() {
  return (
    <>
      <Hero />
      <LifeOfAFile />
      <Features />
      <Plans />
    </>
  )
}
