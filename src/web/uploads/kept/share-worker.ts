/** Service worker that keeps the files a phone shares with the installed app. */
import { createBrowserKeptFiles } from './kept-files.ts'
import { isCrossSite, takeShare } from './take-share.ts'

/** The part of the fetch event used here. TypeScript's DOM types lack it. */
interface FetchEvent extends Event {
  request: Request
  respondWith(response: Promise<Response>): void
}

function isFetch(event: Event): event is FetchEvent {
  return 'respondWith' in event
}

addEventListener('fetch', (event) => {
  if (!isFetch(event) || event.request.method !== 'POST') return
  // Leave cross-site forms to the server, which doesn't read them.
  if (isCrossSite(event.request.referrer, location.origin)) return
  event.respondWith(
    takeShare(event.request, createBrowserKeptFiles()).then((path) => Response.redirect(path, 303)),
  )
})
