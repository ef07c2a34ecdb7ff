/**
 * Adds local times, a countdown, upload progress, and download error messages to the download page.
 * The page also works without this script.
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
 * Returns a function that updates the time, the label and the lifeline, using the server's clock.
 * Calls `onEnd` once when the link expires.
 */
function createCountdown(card: HTMLElement, onEnd: () => void): () => void {
  const serverTimeMs = Number(card.dataset.now)
  const clock = createServerClock()
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  if (navigation) {
    clock.observe({
      date: { from: serverTimeMs, to: serverTimeMs },
      sentAt: performance.timeOrigin + navigation.requestStart,
      receivedAt: performance.timeOrigin + navigation.responseStart,
    })
  }

  return () => {
    const timeElement = findElement<HTMLTimeElement>('time', card)
    const label = findElement('#label', card)
    // `showInvalidLink` has replaced the card's content.
    if (!timeElement || !label) return
    const now = new Date(clock.now())
    const expiresAt = new Date(timeElement.dateTime)
    const dates = {
      createdAt: new Date(Number(card.dataset.created)),
      expiresAt,
      maxLifetimeAt: new Date(Number(card.dataset.max)),
      purgingAt: null,
    }
    const [lived, valid, renewable] = card.querySelectorAll('.time > svg > rect')
    // The server gives the lifeline's renewable part a width only if the owner can renew the link.
    const canRenew = renewable !== undefined && renewable.getAttribute('width') !== '0%'
    const lifelineState = lifeline(dates, now, canRenew)
    if (lifelineState.tone === 'over') return onEnd()
    setText(timeElement, `until ${localTimestampText(expiresAt, now)}`)
    setText(label, activeLinkLabel(dates, now))
    card.dataset.tone = lifelineState.tone
    const bar = lifelineBar(lifelineState)
    lived?.setAttribute('width', `${bar.lived.width}%`)
    valid?.setAttribute('x', `${bar.valid.x}%`)
    valid?.setAttribute('width', `${bar.valid.width}%`)
  }
}

/** Avoids announcing text again that hasn't changed. */
function setText(element: Element, text: string) {
  if (element.textContent !== text) element.textContent = text
}

/** How often the page of a link that is still uploading updates itself. */
const updateIntervalMs = 3000

/** After this long without any progress, the page says that it waits for the sender. */
const stalledMs = 15_000

/** Updates the card from the server until all files are there. */
function followUpload(card: HTMLElement, onEnd: () => void) {
  const readProgress = () => findElement<HTMLProgressElement>('progress', card)?.value
  let progress = readProgress()
  let progressAt = Date.now()
  const update = async () => {
    if (!document.hidden && !(await updateCard(card))) return onEnd()
    const currentProgress = readProgress()
    if (currentProgress !== progress) progressAt = Date.now()
    progress = currentProgress
    const activity = findElement('#activity', card)
    if (!activity) return
    if (Date.now() - progressAt >= stalledMs) setText(activity, 'Waiting for the sender')
    setTimeout(update, updateIntervalMs)
  }
  if (progress !== undefined) setTimeout(update, updateIntervalMs)
}

/** Updates the card from the server. Returns false if the link has ended. */
async function updateCard(card: HTMLElement): Promise<boolean> {
  try {
    const response = await fetch(location.href, { headers: { accept: 'text/html' } })
    if (response.status === 404) return false
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const newCard = findElement('#link', page)
    // The countdown may have ended in the meantime.
    if (newCard && findElement('progress', card)) updateElement(card, newCard)
  } catch {
    // Offline. The next update may succeed.
  }
  return true
}

/** Makes an element equal to another one of its kind. Keeps unchanged parts and the focus. */
function updateElement(current: Element, next: Element) {
  if (current.isEqualNode(next)) return
  // Unless the expiry has changed, only the countdown has changed the text.
  if (current.className === 'time' && readExpiry(current) === readExpiry(next)) return
  const hasText = [...current.childNodes, ...next.childNodes].some((node) => node.nodeType === 3)
  if (hasText) return current.replaceWith(next)
  for (const { name, value } of next.attributes) current.setAttribute(name, value)
  let rest = [...current.children]
  for (const child of [...next.children]) {
    const index = rest.findIndex((candidate) => isSameKind(candidate, child))
    if (index === -1) {
      current.insertBefore(child, rest[0] ?? null)
      continue
    }
    const [match, ...following] = rest.slice(index)
    for (const skipped of rest.slice(0, index)) skipped.remove()
    rest = following
    if (match) updateElement(match, child)
  }
  for (const child of rest) child.remove()
}

function readExpiry(element: Element) {
  return findElement<HTMLTimeElement>('time', element)?.dateTime
}

function isSameKind(a: Element, b: Element) {
  return a.localName === b.localName && a.className === b.className
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

/** Checks each download when its link is clicked, and starts it only if the check succeeds. */
function enableDownloadChecks(
  card: HTMLElement,
  onFailure: (anchor: HTMLAnchorElement, isGone: boolean) => void,
) {
  let state: 'idle' | 'checking' | 'downloading' = 'idle'
  card.addEventListener('click', async (event) => {
    const anchor = (event.target as Element).closest<HTMLAnchorElement>('a[download]')
    if (!anchor || state === 'downloading') return
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    if (state === 'checking') return
    state = 'checking'
    const downloadability = await checkDownload(anchor.href)
    if (downloadability === 'yes') {
      state = 'downloading'
      anchor.click()
    } else onFailure(anchor, downloadability === 'gone')
    state = 'idle'
  })
}

enhancePage()

const card = findElement<HTMLElement>('#link')
const invalidTemplate = findElement<HTMLTemplateElement>('#invalid')
if (card && invalidTemplate) {
  const onEnd = () => {
    clearInterval(timer)
    showInvalidLink(card, invalidTemplate)
  }
  const tick = createCountdown(card, onEnd)
  const timer = setInterval(tick, 1000)
  tick()
  followUpload(card, onEnd)
  enableDownloadChecks(card, (anchor, isGone) => {
    showToast(downloadFailedMessage.title, downloadFailedMessage.description)
    // Of several files, the others may still be there.
    if (isGone && anchor.id === 'download') onEnd()
  })
}
