/**
 * Adds local times, a countdown, and download error messages to the download page. The page also
 * works without this script.
 */

import { localTimestampText } from '../../shared/rules/format/timestamp-text.ts'
import { lifeline, lifelineBar } from '../../shared/rules/links/lifeline.ts'
import { activeLinkLabel } from '../../shared/rules/links/link-status.ts'
import { createServerClock } from '../api/server-clock.ts'
import { enhancePage } from '../built-pages/enhance-page.ts'
import { showToast } from '../built-pages/toast.ts'
import { downloadFailedMessage, invalidLinkMessage } from './texts.ts'

function findElement<E extends Element>(selector: string, within: ParentNode = document) {
  return within.querySelector<E>(selector)
}

/** How long a click on Download waits for `checkDownload` before the download starts anyway. */
const checkTimeoutMs = 4000

function showInvalidLink(card: HTMLElement, page: HTMLTemplateElement) {
  card.replaceChildren(page.content.cloneNode(true))
  card.removeAttribute('data-tone')
  findElement('#report')?.remove()
  document.title = `${invalidLinkMessage.title} · Mayfly`
}

/**
 * Updates the countdown every second, using the server's clock. Calls `onEnd` when the link
 * expires.
 */
function startCountdown(card: HTMLElement, onEnd: () => void) {
  const timeElement = findElement<HTMLTimeElement>('time', card)
  const label = findElement('#label', card)
  const [lived, valid, renewable] = card.querySelectorAll('.time > svg > rect')
  if (!timeElement || !label || !lived || !valid || !renewable) return

  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  const serverTimeMs = Number(card.dataset.now)
  const clock = createServerClock()
  clock.observe({
    date: { from: serverTimeMs, to: serverTimeMs },
    sentAt: performance.timeOrigin + (navigation?.requestStart ?? 0),
    receivedAt: performance.timeOrigin + (navigation?.responseStart ?? 0),
  })
  const expiresAt = new Date(timeElement.dateTime)
  timeElement.textContent = `until ${localTimestampText(expiresAt, new Date(clock.now()))}`

  const dates = {
    createdAt: new Date(Number(card.dataset.created)),
    expiresAt,
    maxLifetimeAt: new Date(Number(card.dataset.max)),
    purgingAt: null,
  }

  // The server gives the lifeline's renewable part a width only if the owner can renew the link.
  const canRenew = renewable.getAttribute('width') !== '0%'

  const tick = () => {
    // `showInvalidLink` has replaced the card's content.
    if (!timeElement.isConnected) return clearInterval(timer)
    const now = new Date(clock.now())
    const lifelineState = lifeline(dates, now, canRenew)
    if (lifelineState.tone === 'over') {
      clearInterval(timer)
      return onEnd()
    }
    const text = activeLinkLabel(dates, now)
    if (label.textContent !== text) label.textContent = text
    card.dataset.tone = lifelineState.tone
    const bar = lifelineBar(lifelineState)
    lived.setAttribute('width', `${bar.lived.width}%`)
    valid.setAttribute('x', `${bar.valid.x}%`)
    valid.setAttribute('width', `${bar.valid.width}%`)
  }
  const timer = setInterval(tick, 1000)
}

/**
 * Checks whether `url` can be downloaded. Sends a HEAD request, because that doesn't count as a
 * download. Also returns 'yes' for a redirect to object storage and after a timeout, to let the
 * browser try the download.
 */
async function checkDownload(url: string): Promise<'yes' | 'no' | 'gone'> {
  try {
    const signal = AbortSignal.timeout(checkTimeoutMs)
    const response = await fetch(url, { method: 'HEAD', redirect: 'manual', signal })
    if (response.ok || response.type === 'opaqueredirect') return 'yes'
    return response.status === 404 ? 'gone' : 'no'
  } catch (error) {
    return error instanceof DOMException && error.name === 'TimeoutError' ? 'yes' : 'no'
  }
}

/** Checks the file on each click and starts the download only if the check succeeds. */
function enableDownloadCheck(anchor: HTMLAnchorElement, onFailure: (isGone: boolean) => void) {
  let state: 'idle' | 'checking' | 'downloading' = 'idle'
  anchor.addEventListener('click', async (event) => {
    if (state === 'downloading' || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey)
      return
    event.preventDefault()
    if (state === 'checking') return
    state = 'checking'
    const downloadability = await checkDownload(anchor.href)
    if (downloadability === 'yes') {
      state = 'downloading'
      anchor.click()
    } else onFailure(downloadability === 'gone')
    state = 'idle'
  })
}

enhancePage()

const card = findElement<HTMLElement>('#link')
const anchor = findElement<HTMLAnchorElement>('#download')
const invalidTemplate = findElement<HTMLTemplateElement>('#invalid')
if (card && anchor && invalidTemplate) {
  startCountdown(card, () => showInvalidLink(card, invalidTemplate))
  enableDownloadCheck(anchor, (isGone) => {
    showToast(downloadFailedMessage.title, downloadFailedMessage.description)
    if (isGone) showInvalidLink(card, invalidTemplate)
  })
}
