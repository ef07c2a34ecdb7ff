import { Download, Moon, Sun, Unlink } from 'lucide-react'
import type { ReactNode } from 'react'
import { ifEnd, ifStart, slot } from '../../shared/page-slots.ts'
import { fileKinds } from '../../shared/rules/file-kind.ts'
import { KindIcon } from '../files/kind-icon.tsx'
import { LifelineShape } from '../files/lifeline.tsx'
import { Mark } from '../ui/mark.tsx'
import { invalidLink } from './texts.ts'

/** The parts that the build puts into both pages. */
export interface Built {
  /** The whole style sheet of the page. */
  css: string
  /** A script that runs before the first paint and sets the theme. */
  boot: string
  /** The address of the script that runs after the first paint. */
  script: string
}

function Page(props: { built: Built; title: string; head?: ReactNode; children: ReactNode }) {
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
        <script type="module" src={props.built.script} />
      </head>
      <body>
        <header className="wrap">
          <a className="home" href="/">
            <Mark />
          </a>
          <button className="icon" id="theme" type="button" aria-label="Switch theme">
            <Moon className="moon" size={18} strokeWidth={1.6} aria-hidden="true" />
            <Sun className="sun" size={18} strokeWidth={1.6} aria-hidden="true" />
          </button>
        </header>
        <main>{props.children}</main>
        <footer className="wrap">Files here leave on time.</footer>
        <div className="toast" id="toast" role="alert" />
      </body>
    </html>
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

/** The page of an active link, with slots for the facts of each link. */
export function DownloadPage(props: { built: Built }) {
  const summary = `${slot('size')} · ${slot('kind')}`
  const address = `${slot('origin')}/s/${slot('code')}`
  return (
    <Page
      built={props.built}
      title={`${slot('name')} · Mayfly`}
      head={
        <>
          <meta property="og:title" content={slot('name')} />
          <meta property="og:description" content={`${summary} · until ${slot('until')}`} />
          <meta property="og:url" content={address} />
          <meta property="og:site_name" content="Mayfly" />
          <meta property="og:type" content="website" />
          <meta name="twitter:card" content="summary" />
        </>
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

/** The page of a link that is unknown or over. It has no slots. */
export function InvalidLinkPage(props: { built: Built }) {
  return (
    <Page built={props.built} title={`${invalidLink.title} · Mayfly`}>
      <section className="card">
        <InvalidLink />
      </section>
    </Page>
  )
}
