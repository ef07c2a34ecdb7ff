import { sharePath } from '../../../shared/public-pages.ts'

/**
 * Registers the service worker for files that a phone shares with the installed app, but only when
 * the app is installed: other visitors must not store what a form of another site posts. Its scope
 * is the share path alone, so it slows down no other page.
 */
export function registerShareWorker(): void {
  // Without HTTPS there are no service workers, and the app cannot be installed.
  if (!('serviceWorker' in navigator)) return
  const register = () => {
    navigator.serviceWorker.register('/share-worker.js', { scope: sharePath }).catch(() => {
      // Without the service worker, the server answers the phone with a page that says what to do.
    })
  }
  window.addEventListener('appinstalled', register)
  if (matchMedia('(display-mode: standalone)').matches) register()
}
