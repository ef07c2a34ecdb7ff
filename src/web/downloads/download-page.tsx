import { Download, Moon, Sun, Unlink } from 'lucide-react'
import type { ReactNode } from 'react'
import { ifEnd, ifStart, slot } from '../../shared/page-slots.ts'
import { fileKinds } from '../../shared/rules/file-kind.ts'
import { KindIcon } from '../files/kind-icon.tsx'
import { LifelineShape } from '../files/lifeline.tsx'
import { Mark } from '../ui/mark.tsx'
import { invalidLink } from './texts.ts'

/** The property of the <meta> element that only pages with a logo have. */
export const logoProperty = 'og:image'

/** The parts that the build puts into both download pages. */
export interface Built {
  /** The whole style sheet of the page. */
  css: string
  /** A script that sets the theme before anything is painted. */
  boot: string
  /** The URL of the script that runs after the page is painted. */
  script: string
}

interface PageProps {
  built: Built
  title: string
  head?: ReactNode
  /** A style sheet that follows the one of the page. */
  style?: ReactNode
  /** Whose page this is, shown in the header. */
  sender: ReactNode
  footer: ReactNode
  children: ReactNode
}

function Page(props: PageProps) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <script>{props.built.boot}</script>
        <title>{props.title}</title>
        <meta name="robots" content="noindex" />
        <meta name="referrer" content="no-referrer" />
        {props.head}
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <style>{props.built.css}</style>
        {props.style}
        <script type="module" src={props.built.script} />
      </head>
      <body>
        <header className="wrap">
          {props.sender}
          <button className="icon" id="theme" type="button" aria-label="Switch theme">
            <Moon className="moon" size={18} strokeWidth={1.6} aria-hidden="true" />
            <Sun className="sun" size={18} strokeWidth={1.6} aria-hidden="true" />
          </button>
        </header>
        <main>{props.children}</main>
        <footer className="wrap">{props.footer}</footer>
        <div className="toast" id="toast" role="alert" />
      </body>
    </html>
  )
}

function Home() {
  return (
    <a className="home" href="/">
      <Mark />
    </a>
  )
}

const motto = 'Files here leave on time.'

/** The logo and the name of the owner's brand, or one of them. */
function Brand() {
  return (
    <p className="brand">
      {ifStart('logo')}
      <img
        src={slot('logoPath')}
        width={slot('logoWidth')}
        height={slot('logoHeight')}
        alt={slot('logoAlt')}
        // For an image without this attribute, React would add a preload to the head, even on pages
        // without a logo.
        fetchPriority="low"
      />
      {ifEnd('logo')}
      {ifStart('brandName')}
      <b dir="auto">{slot('brandName')}</b>
      {ifEnd('brandName')}
    </p>
  )
}

/** The message that the owner's brand shows to people who download. */
function Message() {
  return (
    <div className="note">
      <p dir="auto">{slot('brandMessage')}</p>
      {ifStart('brandName')}
      <cite dir="auto">{slot('brandName')}</cite>
      {ifEnd('brandName')}
    </div>
  )
}

function InvalidLink() {
  return (
    <>
      <div className="file">
        <span className="kind">
          <Unlink size={24} strokeWidth={1.6} aria-hidden="true" />
        </span>
        <div>
          <h1>{invalidLink.title}</h1>
          <p className="muted">{invalidLink.description}</p>
        </div>
      </div>
      <a className="button quiet" href="/">
        Go to the front page
      </a>
    </>
  )
}

/** The page of an active link, with slots that the server fills for each link. */
export function DownloadPage(props: { built: Built }) {
  const summary = `${slot('size')} · ${slot('kind')}`
  const address = `${slot('origin')}/s/${slot('code')}`
  return (
    <Page
      built={props.built}
      title={`${slot('name')} · ${slot('site')}`}
      head={
        <>
          <meta property="og:title" content={slot('name')} />
          <meta
            property="og:description"
            content={`${slot('lead')}${summary} · until ${slot('until')}`}
          />
          <meta property="og:url" content={address} />
          <meta property="og:site_name" content={slot('site')} />
          <meta property="og:type" content="website" />
          <meta name="twitter:card" content="summary" />
          <meta property={logoProperty} content={slot('origin') + slot('logoPath')} />
        </>
      }
      style={
        <>
          {ifStart('accent')}
          <style>{slot('accentStyle')}</style>
          {ifEnd('accent')}
        </>
      }
      sender={
        <>
          {ifStart('plain')}
          <Home />
          {ifEnd('plain')}
          {ifStart('branded')}
          <Brand />
          {ifEnd('branded')}
        </>
      }
      footer={
        <span>
          {ifStart('branded')}
          Sent with <a href="/">Mayfly</a>. {ifEnd('branded')}
          {motto}
        </span>
      }
    >
      <section
        className="card"
        id="link"
        data-tone={slot('tone')}
        data-created={slot('created')}
        data-max={slot('max')}
        data-now={slot('now')}
        aria-live="polite"
      >
        <div className="file">
          <span className="kind">
            {fileKinds.map((kind) => [
              ifStart(kind),
              <KindIcon key={kind} kind={kind} size={24} />,
              ifEnd(kind),
            ])}
          </span>
          <div>
            <h1 dir="auto">{slot('name')}</h1>
            <p className="muted">{summary}</p>
          </div>
        </div>
        {ifStart('brandMessage')}
        <Message />
        {ifEnd('brandMessage')}
        <div className="time">
          <LifelineShape
            bar={{
              lived: { x: 0, width: slot('livedWidth') },
              valid: { x: slot('validX'), width: slot('validWidth') },
              renewable: { x: slot('renewableX'), width: slot('renewableWidth') },
            }}
            colour="var(--tone)"
            size="wide"
          />
          <p>
            <b id="label">{slot('label')}</b>
            <span className="muted">
              <time dateTime={slot('expiresAt')}>until {slot('until')}</time>
            </span>
          </p>
        </div>
        <a className="button" id="download" href={`/api/download/${slot('code')}`} download="">
          <Download size={20} strokeWidth={2} aria-hidden="true" />
          Download File
        </a>
        {ifStart('sha256')}
        <details className="sum">
          <summary>Checksum (SHA-256)</summary>
          <code>{slot('sha256')}</code>
        </details>
        {ifEnd('sha256')}
      </section>
      <template id="invalid">
        <InvalidLink />
      </template>
    </Page>
  )
}

/** The page of a link that is unknown or has ended. It has no slots. */
export function InvalidLinkPage(props: { built: Built }) {
  return (
    <Page
      built={props.built}
      title={`${invalidLink.title} · Mayfly`}
      sender={<Home />}
      footer={motto}
    >
      <section className="card">
        <InvalidLink />
      </section>
    </Page>
  )
}
