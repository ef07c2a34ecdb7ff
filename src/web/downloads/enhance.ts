/**
 * Adds features to a download page that works without scripts: a theme button, times in the
 * visitor's time zone, a time left that counts down, a reason when a download cannot start, and the
 * uploads of a signed-in user. It runs when the browser has parsed the whole page.
 */

import { localMomentText } from '../../shared/rules/format/moment-text.ts'
import { lifeline, lifelineBar } from '../../shared/rules/links/lifeline.ts'
import { openLinkLabel } from '../../shared/rules/links/link-status.ts'
import { createServerClock } from '../api/server-clock.ts'
import { enhancePage } from '../built-pages/enhance-page.ts'
import { showToast } from '../built-pages/toast.ts'
import { downloadFailed, invalidLink } from './texts.ts'

function find<E extends Element>(selector: string, within: ParentNode = document) {
  return within.querySelector<E>(selector)
}

/**
 * How long a click waits for the check of the file. After that, the download starts without the
 * check.
 */
const patienceMs = 4000

function showInvalid(card: HTMLElement, page: HTMLTemplateElement) {
  card.replaceChildren(page.content.cloneNode(true))
  card.removeAttribute('data-tone')
  find('#report')?.remove()
  document.title = `${invalidLink.title} · Mayfly`
}

/**
 * Updates the time left every second until the link ends, and then calls `over`. It uses the
 * server's clock.
 */
function runTime(card: HTMLElement, over: () => void) {
  const time = find<HTMLTimeElement>('time', card)
  const label = find('#label', card)
  const [lived, valid, renewable] = card.querySelectorAll('.time > svg > rect')
  if (!time || !label || !lived || !valid || !renewable) return

  const [opened] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  const moment = Number(card.dataset.now)
  const clock = createServerClock()
  clock.learn({
    date: { from: moment, to: moment },
    sentAt: performance.timeOrigin + (opened?.requestStart ?? 0),
    receivedAt: performance.timeOrigin + (opened?.responseStart ?? 0),
  })
  const expiresAt = new Date(time.dateTime)
  time.textContent = `until ${localMomentText(expiresAt, new Date(clock.now()))}`

  const dates = {
    createdAt: new Date(Number(card.dataset.created)),
    expiresAt,
    maxLifetimeAt: new Date(Number(card.dataset.max)),
    purgingAt: null,
  }

  // The server draws the renewable part only if the owner of the file can renew the link.
  const canRenew = renewable.getAttribute('width') !== '0%'

  const tick = () => {
    // A click on the download has found that the link has ended, and `showInvalid` has removed
    // the time from the page.
    if (!time.isConnected) return clearInterval(timer)
    const now = new Date(clock.now())
    const life = lifeline(dates, now, canRenew)
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
 * Finds out by a HEAD request whether the download of `url` can start. A HEAD does not count as a
 * download. If no answer comes in time, the result is 'yes', and the page tries the download. A
 * redirect counts as 'yes' too: the bytes are on another server.
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
 * Checks the file before a plain click starts the download. Other ways to follow the link (menu,
 * middle button) are not checked.
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

enhancePage()

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
