/** Service worker that keeps the files a phone shares with the installed app. */

import { isCrossOrigin, keepShare } from './keep-share.ts'
import { createBrowserKeptFiles } from './kept-files.ts'

/** The part of the fetch event used here, which TypeScript's DOM types lack. */
interface FetchEvent extends Event {
  request: Request
  respondWith(response: Promise<Response>): void
}

function isFetchEvent(event: Event): event is FetchEvent {
  return 'respondWith' in event
}

addEventListener('fetch', (event) => {
  if (!isFetchEvent(event) || event.request.method !== 'POST') return
  // Let the server respond to cross-site form posts. It ignores their content.
  if (isCrossOrigin(event.request.referrer, location.origin)) return
  const store = createBrowserKeptFiles()
  event.respondWith(keepShare(event.request, store).then((path) => Response.redirect(path, 303)))
})
