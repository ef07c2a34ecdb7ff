import { Download, Files, Lock, Unlink } from 'lucide-react'
import { placeholder, sectionEnd, sectionStart } from '../../shared/placeholders.ts'
import { fileKinds } from '../../shared/rules/files/file-kind.ts'
import { type PageAssets, When } from '../built-pages/template.tsx'
import { KindIcon } from '../files/kind-icon.tsx'
import { LifelineShape } from '../files/lifeline.tsx'
import { HomeLink, LinkPage, Messages, OwnerMark, tagline } from './page-frame.tsx'
import { invalidLinkMessage } from './texts.ts'

/**
 * The `property` attribute of the logo's <meta> element, which is omitted from pages without a
 * logo.
 */
export const logoProperty = 'og:image'

/** When the link expires, with the lifeline of its files. */
function Time() {
  return (
    <div className="time">
      <When is="unlocked">
        <LifelineShape
          bar={{
            lived: { x: 0, width: placeholder('livedWidth') },
            valid: { x: placeholder('validX'), width: placeholder('validWidth') },
            renewable: { x: placeholder('renewableX'), width: placeholder('renewableWidth') },
          }}
          color="var(--tone)"
          size="wide"
        />
      </When>
      <p>
        <b id="label">{placeholder('label')}</b>
        <span className="muted">
          <time dateTime={placeholder('expiresAt')}>until {placeholder('until')}</time>
        </span>
      </p>
    </div>
  )
}

/** How much of the link's files has been uploaded. */
function UploadProgress() {
  return (
    <div className="upload-status" aria-live="off">
      <progress
        value={placeholder('receivedBytes')}
        max={placeholder('totalBytes')}
        aria-label="Upload progress"
      />
      <p>
        <b id="activity">Uploading</b>
        <span className="muted">{placeholder('progress')}</span>
      </p>
      <p className="muted">This page updates itself.</p>
    </div>
  )
}

function DownloadButton() {
  const content = (
    <>
      <Download size={20} strokeWidth={2} aria-hidden="true" />
      <When is="single">Download File</When>
      <When is="list">Download all ({placeholder('size')})</When>
    </>
  )
  return (
    <>
      <When is="complete">
        <a
          className="button"
          id="download"
          href={`/api/download/${placeholder('code')}`}
          download=""
        >
          {content}
        </a>
      </When>
      <When is="uploading">
        <button className="button" type="button" disabled>
          {content}
        </button>
      </When>
    </>
  )
}

/** Asks for the password of a link. Works without scripts. */
function PasswordForm() {
  return (
    <form method="post" action={`/s/${placeholder('code')}`}>
      <label htmlFor="password">Password</label>
      <input
        id="password"
        name="password"
        type="password"
        autoComplete="off"
        required
        aria-describedby="password-error"
      />
      <p className="error" id="password-error" role="alert">
        {placeholder('error')}
      </p>
      <button className="button" type="submit">
        Unlock
      </button>
    </form>
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
          <h1>{invalidLinkMessage.title}</h1>
          <p className="muted">{invalidLinkMessage.description}</p>
        </div>
      </div>
      <a className="button quiet" href="/">
        Go to the start page
      </a>
    </>
  )
}

/**
 * The page for an active link, with one file or several. The server fills in its placeholders for
 * each link.
 */
export function DownloadPage(props: { assets: PageAssets }) {
  const until = `${sectionStart('hasExpiry')} · until ${placeholder('until')}${sectionEnd('hasExpiry')}`
  const description = placeholder('lead') + placeholder('summary') + until
  const linkUrl = `${placeholder('origin')}/s/${placeholder('code')}`
  return (
    <LinkPage
      assets={props.assets}
      title={`${placeholder('name')} · ${placeholder('site')}`}
      head={
        <>
          <meta property="og:title" content={placeholder('name')} />
          <meta name="description" content={description} />
          <meta property="og:description" content={description} />
          <meta property="og:url" content={linkUrl} />
          <meta property="og:site_name" content={placeholder('site')} />
          <meta property="og:type" content="website" />
          <meta name="twitter:card" content="summary" />
          <meta property={logoProperty} content={placeholder('origin') + placeholder('logoPath')} />
          <When is="uploading">
            <noscript>
              <meta httpEquiv="refresh" content="10" />
            </noscript>
          </When>
        </>
      }
      style={
        <When is="accent">
          <style>{placeholder('accentStyle')}</style>
        </When>
      }
      sender={<OwnerMark />}
      footer={
        <>
          <span>
            <When is="branded">
              Sent with <a href="/">Mayfly</a>.{' '}
            </When>
            {tagline}
          </span>
          <a id="report" href={`/s/${placeholder('code')}/report`} rel="nofollow">
            <When is="single">Report this file</When>
            <When is="list">Report this link</When>
            <When is="locked">Report this link</When>
          </a>
        </>
      }
    >
      <section
        className="card"
        id="link"
        data-tone={placeholder('tone')}
        data-created={placeholder('created')}
        data-max={placeholder('max')}
        data-now={placeholder('now')}
        aria-live="polite"
      >
        <div className="file">
          <span className="kind">
            <When is="list">
              <Files size={24} strokeWidth={1.6} aria-hidden="true" />
            </When>
            <When is="locked">
              <Lock size={24} strokeWidth={1.6} aria-hidden="true" />
            </When>
            {fileKinds.map((kind) => (
              <When key={kind} is={kind}>
                <KindIcon kind={kind} size={24} />
              </When>
            ))}
          </span>
          <div>
            <h1
              dir="auto"
              className={`${sectionStart('longName')}is-long${sectionEnd('longName')}`}
            >
              {placeholder('name')}
            </h1>
            <p className="muted">{placeholder('summary')}</p>
          </div>
        </div>
        <Messages />
        <When is="hasExpiry">
          <Time />
        </When>
        <When is="uploading">
          <UploadProgress />
        </When>
        <When is="locked">
          <PasswordForm />
        </When>
        <DownloadButton />
        <When is="limited">
          <p className="remaining">{placeholder('remaining')}</p>
        </When>
        <When is="list">
          <ul className="names" aria-live="off">
            {placeholder('files')}
          </ul>
        </When>
        <When is="sha256">
          <details className="sum">
            <summary>Checksum (SHA-256)</summary>
            <code>{placeholder('sha256')}</code>
          </details>
        </When>
      </section>
      <template id="invalid">
        <InvalidLink />
      </template>
    </LinkPage>
  )
}

/** The page for a link that is unknown or has ended. It has no placeholders. */
export function InvalidLinkPage(props: { assets: PageAssets }) {
  return (
    <LinkPage
      assets={props.assets}
      title={`${invalidLinkMessage.title} · Mayfly`}
      sender={<HomeLink />}
      footer={tagline}
    >
      <section className="card">
        <InvalidLink />
      </section>
    </LinkPage>
  )
}

/** A file in the list of a link's files. The server fills it in for each file. */
export function FileRow() {
  return (
    <li>
      <When is="ready">
        <a
          href={`/api/download/${placeholder('code')}/${placeholder('id')}`}
          download=""
          dir="auto"
        >
          {placeholder('name')}
        </a>
      </When>
      <When is="uploading">
        <b dir="auto">{placeholder('name')}</b>
      </When>
      <span>{placeholder('detail')}</span>
    </li>
  )
}
