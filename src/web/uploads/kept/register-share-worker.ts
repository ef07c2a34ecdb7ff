import { sharePath } from '../../../shared/public-pages.ts'

/**
 * Registers the service worker for files that a phone shares with the installed app. Only the
 * installed app registers it, because otherwise other sites' forms could store files in any
 * visitor's browser. Its scope is only the share path, so it doesn't slow down other pages.
 */
export function registerShareWorker(): void {
  // Service workers require a secure context, as does installing the app.
  if (!('serviceWorker' in navigator)) return
  const register = () => {
    navigator.serviceWorker.register('/share-worker.js', { scope: sharePath }).catch(() => {
      // Without the service worker, the server responds with a page that explains what to do.
    })
  }
  window.addEventListener('appinstalled', register)
  if (matchMedia('(display-mode: standalone)').matches) register()
}
