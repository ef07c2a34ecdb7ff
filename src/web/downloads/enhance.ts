/**
 * What scripts add to a download page that works without them: the theme's button, the visitor's
 * own time, time left that runs, a reason where a click cannot work, and the uploads of whoever has
 * any. Loaded after the paint.
 */
import { lifeline } from '../../shared/rules/lifeline.ts'
import { lifelineBar } from '../../shared/rules/lifeline-bar.ts'
import { linkLabel } from '../../shared/rules/link-status.ts'
import { momentText } from '../../shared/rules/moment-text.ts'
import { signedInHint } from '../../shared/signed-in-hint.ts'
import { currentTheme, setTheme, subscribeToTheme } from '../ui/theme.ts'
import { recordKeyPrefix } from '../uploads/records/record-key.ts'
import { downloadFailed, invalidLink } from './texts.ts'
import { showToast } from './toast.ts'

/** The address of the built script that shows uploads; the build writes it here. */
declare const uploadsScript: string

function find<E extends Element>(selector: string, within: ParentNode = document) {
  return within.querySelector<E>(selector)
}

/** How long a click waits to hear whether the file is there before it goes ahead unheard. */
const patienceMs = 4000

function offerTheme(button: HTMLElement) {
  const other = () => (currentTheme() === 'dark' ? 'light' : 'dark')
  const name = () => button.setAttribute('aria-label', `Switch to ${other()} theme`)
  button.addEventListener('click', () => setTheme(other()))
  subscribeToTheme(name)
  name()
}

function showInvalid(card: HTMLElement, page: HTMLTemplateElement) {
  card.replaceChildren(page.content.cloneNode(true))
  card.removeAttribute('data-tone')
  document.title = `${invalidLink.title} · Mayfly`
}

/** Keeps label and lifeline true until the link is over, to the second, by the server's clock. */
function runTime(card: HTMLElement, over: () => void) {
  const time = find<HTMLTimeElement>('time', card)
  const label = find('#label', card)
  const [lived, valid] = card.querySelectorAll('.time > svg > rect')
  if (!time || !label || !lived || !valid) return

  const expiresAt = new Date(time.dateTime)
  time.textContent = `until ${momentText(expiresAt, expiresAt.getTimezoneOffset())}`

  const [opened] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  const received = performance.timeOrigin + (opened?.responseStart ?? 0)
  const ahead = received - Number(card.dataset.now)
  const dates = {
    createdAt: new Date(Number(card.dataset.created)),
    expiresAt,
    maxLifetimeAt: new Date(Number(card.dataset.max)),
    purgedAt: null,
  }

  const tick = () => {
    // A click may have found the link dead before its time.
    if (!time.isConnected) return clearInterval(timer)
    const now = new Date(Date.now() - ahead)
    const life = lifeline(dates, now, true)
    if (life.tone === 'over') {
      clearInterval(timer)
      return over()
    }
    const text = linkLabel(dates, 'free', now)
    if (label.textContent !== text) label.textContent = text
    card.dataset.tone = life.tone
    const bar = lifelineBar(life)
    lived.setAttribute('width', `${bar.lived.width}%`)
    valid.setAttribute('x', `${bar.valid.x}%`)
    valid.setAttribute('width', `${bar.valid.width}%`)
  }
  const timer = setInterval(tick, 1000)
}

/**
 * Whether a download of `url` can begin, by a HEAD request, which counts as none. No answer in time
 * is no reason to hold a click back. A redirect leads to the bytes at another place.
 */
async function canDownload(url: string): Promise<'yes' | 'no' | 'gone'> {
  try {
    const signal = AbortSignal.timeout(patienceMs)
    const answer = await fetch(url, { method: 'HEAD', redirect: 'manual', signal })
    if (answer.ok || answer.type === 'opaqueredirect') return 'yes'
    return answer.status === 404 ? 'gone' : 'no'
  } catch (error) {
    return error instanceof DOMException && error.name === 'TimeoutError' ? 'yes' : 'no'
  }
}

/** A plain click asks first. Other ways to follow the link (menu, middle button) are left alone. */
function guardDownload(anchor: HTMLAnchorElement, fail: (gone: boolean) => void) {
  let state: 'idle' | 'asking' | 'passing' = 'idle'
  anchor.addEventListener('click', async (event) => {
    if (state === 'passing' || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey)
      return
    event.preventDefault()
    if (state === 'asking') return
    state = 'asking'
    const answer = await canDownload(anchor.href)
    if (answer === 'yes') {
      state = 'passing'
      anchor.click()
    } else fail(answer === 'gone')
    state = 'idle'
  })
}

/**
 * Loads the uploads panel where this browser has uploads of somebody who is signed in, or gets some
 * in another tab. Everybody else's page stays as small as it is.
 */
function offerUploads() {
  const watch = new AbortController()
  const lookAt = (keys: readonly (string | null)[]) => {
    if (!keys.some((key) => key?.startsWith(recordKeyPrefix))) return
    if (!document.cookie.includes(`${signedInHint}=`)) return
    watch.abort()
    // Our policy forbids eval. Zod would try it once, and the browser report the attempt.
    Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
    void import(/* @vite-ignore */ uploadsScript)
  }
  window.addEventListener('storage', ({ key }) => lookAt([key]), { signal: watch.signal })
  try {
    lookAt(Object.keys(localStorage))
  } catch {
    // Storage is blocked: nothing is kept in it.
  }
}

const theme = find<HTMLElement>('#theme')
if (theme) offerTheme(theme)

offerUploads()

const card = find<HTMLElement>('#link')
const anchor = find<HTMLAnchorElement>('#download')
const invalid = find<HTMLTemplateElement>('#invalid')
if (card && anchor && invalid) {
  runTime(card, () => showInvalid(card, invalid))
  guardDownload(anchor, (gone) => {
    showToast(downloadFailed.title, downloadFailed.description)
    if (gone) showInvalid(card, invalid)
  })
}
