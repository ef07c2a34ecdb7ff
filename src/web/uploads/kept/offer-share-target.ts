import { sharePath } from '../../../shared/public-pages.ts'

/**
 * Registers the service worker that keeps what a phone shares with the installed application. Nobody
 * who only visits gets it: it is registered when the application is installed, and when it runs
 * installed. Its scope is the one path to which files are shared, so it slows no page down.
 */
export function offerShareTarget(): void {
  // Without HTTPS there are no service workers, and nothing can be installed.
  if (!('serviceWorker' in navigator)) return
  const register = () => {
    navigator.serviceWorker.register('/share-worker.js', { scope: sharePath }).catch(() => {
      // Then a share leads to a page that says how to go on.
    })
  }
  window.addEventListener('appinstalled', register)
  const isInstalled = matchMedia('(display-mode: standalone)').matches
  if (isInstalled || location.pathname === sharePath) register()
}
