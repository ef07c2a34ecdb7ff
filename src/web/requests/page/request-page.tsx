import { Inbox } from 'lucide-react'
import { placeholder } from '../../../shared/placeholders.ts'
import { type PageAssets, When } from '../../built-pages/template.tsx'
import { HomeLink, LinkPage, Messages, OwnerMark, tagline } from '../../downloads/page-frame.tsx'

/**
 * The page on which people send files to a user. The server fills in its placeholders for each
 * request. The form needs scripts (`send-files.tsx`).
 * @param props.sendScript the URL of the script that sends files.
 */
export function RequestPage(props: { assets: PageAssets; sendScript: string }) {
  const title = `${placeholder('title')} · ${placeholder('site')}`
  const description = 'Send files. No account needed.'
  return (
    <LinkPage
      assets={props.assets}
      title={title}
      head={
        <>
          <meta property="og:title" content={placeholder('title')} />
          <meta name="description" content={description} />
          <meta property="og:description" content={description} />
          <meta property="og:url" content={`${placeholder('origin')}/r/${placeholder('code')}`} />
          <meta property="og:site_name" content={placeholder('site')} />
          <script type="module" src={props.sendScript} />
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
              Files are sent with <a href="/">Mayfly</a>.{' '}
            </When>
            {tagline}
          </span>
          <a id="report" href={`/feedback?request=${placeholder('code')}`} rel="nofollow">
            Report this page
          </a>
        </>
      }
    >
      <section className="card">
        <div className="file">
          <span className="kind">
            <Inbox size={24} strokeWidth={1.6} aria-hidden="true" />
          </span>
          <div>
            <h1 dir="auto">{placeholder('title')}</h1>
            <p className="muted">
              <When is="locked">This page needs a password</When>
              <When is="unlocked">
                <bdi>{placeholder('requester')}</bdi> asks you for files
              </When>
            </p>
          </div>
        </div>
        <Messages />
        <p className="facts muted">
          <When is="unlocked">{placeholder('limits')} </When>
          Open <time dateTime={placeholder('closesAt')}>until {placeholder('until')}</time>.
        </p>
        <When is="full">
          <p className="note full">
            <bdi>{placeholder('requester')}</bdi> can’t receive more files right now. Please try
            again later, or ask for another way to send them.
          </p>
        </When>
        <p className="note without-scripts">
          Sending files needs JavaScript. Turn it on in your browser and reload this page.
        </p>
        <div
          id="send"
          data-requester={placeholder('requester')}
          data-max-file-size={placeholder('maxFileSize')}
          data-max-files={placeholder('maxFiles')}
        />
      </section>
    </LinkPage>
  )
}

/**
 * The page for a request that is unknown, closed or over. It has no placeholders. On it, senders
 * finish uploads that began before the request closed.
 */
export function ClosedRequestPage(props: { assets: PageAssets; sendScript: string }) {
  const title = 'This request is closed'
  return (
    <LinkPage
      assets={props.assets}
      title={`${title} · Mayfly`}
      head={<script type="module" src={props.sendScript} />}
      sender={<HomeLink />}
      footer={tagline}
    >
      <section className="card">
        <div className="file">
          <span className="kind">
            <Inbox size={24} strokeWidth={1.6} aria-hidden="true" />
          </span>
          <div>
            <h1>{title}</h1>
            <p className="muted">
              It no longer takes files, or the address is wrong. Ask for a new link.
            </p>
          </div>
        </div>
        {/* Uploads that have begun have any size. */}
        <div id="send" data-max-file-size="Infinity" data-max-files="0" />
        <a className="button quiet" href="/">
          Go to the start page
        </a>
      </section>
    </LinkPage>
  )
}
