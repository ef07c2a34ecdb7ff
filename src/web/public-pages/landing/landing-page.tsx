import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { accountDeletedPath } from '../../../shared/pages.ts'
import { withNext } from '../../../shared/rules/accounts/next-path.ts'
import { trialOfferPath } from '../../../shared/rules/tiers/trial.ts'
import { When } from '../../built-pages/template.tsx'
import { Support } from '../contacts.tsx'
import { values, WhenSignupIsOpen } from '../values.tsx'
import { DropZone } from './drop-zone.tsx'
import { ProductPictures } from './product-pictures.tsx'

/** The landing page (spec §2): a hero, pictures, six feature cards and two plans. */
export function LandingPage() {
  return (
    <>
      <AccountDeletedNote />
      <Hero />
      <ProductPictures />
      <Features />
      <Plans />
    </>
  )
}

/** Shown once to people who have just deleted their account. */
function AccountDeletedNote() {
  return (
    // The browser moves focus to the target of a fragment, so screen readers announce it.
    <p id={accountDeletedPath.slice('/#'.length)} tabIndex={-1} className="deleted-account">
      Your account and everything in it have been deleted.
      <When is="smtp"> You get a receipt by email.</When>
    </p>
  )
}

function Hero() {
  return (
    <div className="hero">
      <div>
        <h1>Share files by short links that expire.</h1>
        <p className="lead muted">
          Upload a file and send its link. The link works for {values.premiumDays}, then the file is
          deleted. Nobody needs an account to download.
        </p>
        <div className="go">
          <a className="button primary large" href="/api/login">
            Get Started
          </a>
          <span className="muted small">
            Free: {values.freeFilesAtOnce}, up to {values.freeFileSize} each.
          </span>
        </div>
        <WhoCanSignUp />
      </div>
      <DropZone />
    </div>
  )
}

/** If signup is restricted, tells visitors who can sign up. */
function WhoCanSignUp() {
  return (
    <When is="visitor">
      <When is="signupDomains">
        <p className="muted small who">
          Only email addresses at {values.signupDomains} can sign up here.
        </p>
      </When>
      <When is="signupClosed">
        <p className="muted small who">
          Signup is closed. To get an account, write to <Support />.
        </p>
      </When>
    </When>
  )
}

function Features() {
  return (
    <section className="band" aria-labelledby="features">
      <h2 id="features">Features</h2>
      <ul className="six">
        <Feature title="One short link">
          For one file or for many, with a password or a download limit if you like. It can’t be
          guessed, and works in any browser and with curl.
        </Feature>
        <Feature title="Links that expire">
          Links expire to the second. Then the file is deleted, and a receipt shows when.
        </Feature>
        <Feature title="Uploads that resume">
          After a lost connection or a closed tab, an upload continues where it stopped.
        </Feature>
        <Feature title="Renewal" premium>
          Give a file a new link for another {values.premiumDays}, before or after the old one
          expires.
        </Feature>
        <Feature title="Analytics" premium>
          Downloads by day and by file. Page views and link previews don’t count.
        </Feature>
        <Feature title="Custom branding" premium>
          Your logo, your color and your message on your download pages.
        </Feature>
      </ul>
      <p className="muted after">{values.featuresNote}</p>
    </section>
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

/** The two plans (spec §1, §2). */
function Plans() {
  return (
    <section className="band" aria-labelledby="plans">
      <h2 id="plans">Plans</h2>
      <div className="plans">
        <article className="card plan">
          <h3>Free</h3>
          <p className="price">$0</p>
          <CheckedList
            items={[
              values.freeFilesAtOnceFirst,
              `Up to ${values.freeFileSize} each`,
              `Links work for ${values.freeDays}`,
            ]}
          />
          <WhenSignupIsOpen>
            <a className="button wide" href="/signup">
              Start with Free
            </a>
          </WhenSignupIsOpen>
        </article>
        <article className="card plan loud">
          <h3>
            Premium <span className="badge">{values.trial} free</span>
          </h3>
          <p className="price">
            {values.price} <span>per month, cancel at any time</span>
          </p>
          <CheckedList
            items={[
              values.premiumFilesFirst,
              `Up to ${values.premiumFileSize} each`,
              `${values.premiumDays}, and renewal`,
              'File Manager and Analytics',
              'Custom branding',
              'Priority support',
            ]}
          />
          <WhenSignupIsOpen>
            <a className="button wide" href={withNext('/signup', trialOfferPath)}>
              Start with {values.trial} free
            </a>
          </WhenSignupIsOpen>
        </article>
      </div>
      <p className="muted small">
        In this preview version, nothing is charged. Each account can start the trial once, on the
        dashboard.
      </p>
    </section>
  )
}

function CheckedList({ items }: { items: readonly string[] }) {
  return (
    <ul>
      {items.map((line) => (
        <li key={line}>
          <Check size={18} aria-hidden="true" />
          {line}
        </li>
      ))}
    </ul>
  )
}
