import { sharePath } from '../../../shared/public-pages.ts'

/**
 * Registers the service worker that stores files which a phone shares with the installed
 * application. It does so when a person installs the application, and in the installed application.
 * Ordinary visitors do not get the service worker, so a form of another site stores nothing in
 * their browser. Its scope is only the path to which phones share files, so it does not slow down
 * other pages.
 */
export function offerShareTarget(): void {
  // Without HTTPS, browsers offer no service workers and cannot install the application.
  if (!('serviceWorker' in navigator)) return
  const register = () => {
    navigator.serviceWorker.register('/share-worker.js', { scope: sharePath }).catch(() => {
      // Without the service worker, the server answers the phone with a page that says what to do.
    })
  }
  window.addEventListener('appinstalled', register)
  if (matchMedia('(display-mode: standalone)').matches) register()
}
