/**
 * The service worker of the path to which a phone shares files. It keeps them in the browser, so that
 * they are uploaded only when somebody says so, and not before signing in.
 */
import { createBrowserKeptFiles } from './kept-files.ts'
import { takeShare } from './take-share.ts'

/** The part of the event that is used here. The DOM types do not list it. */
interface FetchEvent extends Event {
  request: Request
  respondWith(response: Promise<Response>): void
}

function isFetch(event: Event): event is FetchEvent {
  return 'respondWith' in event
}

addEventListener('fetch', (event) => {
  if (!isFetch(event) || event.request.method !== 'POST') return
  event.respondWith(
    takeShare(event.request, createBrowserKeptFiles()).then((path) => Response.redirect(path, 303)),
  )
})
