/**
 * The service worker for the path to which a phone shares files. It stores the files in the
 * browser. So nothing is uploaded before the user has signed in and agreed.
 */
import { createBrowserKeptFiles } from './kept-files.ts'
import { isFromElsewhere, takeShare } from './take-share.ts'

/** The parts of the fetch event that this file uses. TypeScript's DOM types lack them. */
interface FetchEvent extends Event {
  request: Request
  respondWith(response: Promise<Response>): void
}

function isFetch(event: Event): event is FetchEvent {
  return 'respondWith' in event
}

addEventListener('fetch', (event) => {
  if (!isFetch(event) || event.request.method !== 'POST') return
  // The server answers such a form without reading it.
  if (isFromElsewhere(event.request.referrer, location.origin)) return
  event.respondWith(
    takeShare(event.request, createBrowserKeptFiles()).then((path) => Response.redirect(path, 303)),
  )
})
