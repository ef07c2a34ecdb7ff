/**
 * Adds scripted features to a download page that works without them: a theme button, times in the
 * visitor's zone, a running time left, a reason when a download cannot start, and the uploads of a
 * signed-in user. It is loaded after the first paint.
 */
import { lifeline } from '../../shared/rules/lifeline.ts'
import { lifelineBar } from '../../shared/rules/lifeline-bar.ts'
import { openLinkLabel } from '../../shared/rules/link-status.ts'
import { momentText } from '../../shared/rules/moment-text.ts'
import { signedInHint } from '../../shared/signed-in-hint.ts'
import { createServerClock } from '../api/server-clock.ts'
import { currentTheme, setTheme, subscribeToTheme } from '../ui/theme.ts'
import { recordKeyPrefix } from '../uploads/records/record-key.ts'
import { downloadFailed, invalidLink } from './texts.ts'
import { showToast } from './toast.ts'

/** The address of the built script that shows uploads. The build inserts it here. */
declare const uploadsScript: string

function find<E extends Element>(selector: string, within: ParentNode = document) {
  return within.querySelector<E>(selector)
}

/** How long a click waits for the check of the file. Then the download starts without an answer. */
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

/** Updates label and lifeline until the link is over, to the second, by the server's clock. */
function runTime(card: HTMLElement, over: () => void) {
  const time = find<HTMLTimeElement>('time', card)
  const label = find('#label', card)
  const [lived, valid] = card.querySelectorAll('.time > svg > rect')
  if (!time || !label || !lived || !valid) return

  const expiresAt = new Date(time.dateTime)
  time.textContent = `until ${momentText(expiresAt, expiresAt.getTimezoneOffset())}`

  const [opened] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  const moment = Number(card.dataset.now)
  const clock = createServerClock()
  clock.learn({
    date: { from: moment, to: moment },
    sentAt: performance.timeOrigin + (opened?.requestStart ?? 0),
    receivedAt: performance.timeOrigin + (opened?.responseStart ?? 0),
  })
  const dates = {
    createdAt: new Date(Number(card.dataset.created)),
    expiresAt,
    maxLifetimeAt: new Date(Number(card.dataset.max)),
    purgingAt: null,
  }

  const tick = () => {
    // A click may have found out earlier that the link is over.
    if (!time.isConnected) return clearInterval(timer)
    const now = new Date(clock.now())
    const life = lifeline(dates, now, true)
    if (life.tone === 'over') {
      clearInterval(timer)
      return over()
    }
    const text = openLinkLabel(dates, now)
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
 * Asks by a HEAD request whether a download of `url` can begin. A HEAD does not count as a
 * download. Without an answer in time, the download starts anyway. A redirect means that the bytes
 * are at another place.
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

/**
 * Checks the file before a plain click goes ahead. Other ways to follow the link (menu, middle
 * button) are not checked.
 */
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
 * Loads the uploads panel if a signed-in user has uploads in this browser, or starts some in
 * another tab. For all other visitors the page stays small.
 */
function offerUploads() {
  const watch = new AbortController()
  const lookAt = (keys: readonly (string | null)[]) => {
    if (!keys.some((key) => key?.startsWith(recordKeyPrefix))) return
    if (!document.cookie.includes(`${signedInHint}=`)) return
    watch.abort()
    // Our policy forbids eval. Zod would try eval once, and the browser would report it.
    Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
    void import(/* @vite-ignore */ uploadsScript)
  }
  window.addEventListener('storage', ({ key }) => lookAt([key]), { signal: watch.signal })
  try {
    lookAt(Object.keys(localStorage))
  } catch {
    // Storage is blocked, so it holds no records.
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
