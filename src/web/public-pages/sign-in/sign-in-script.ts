/** The script for the login and the signup. They need it to send their forms. */

import { nextPath, withNext } from '../../../shared/rules/accounts/next-path.ts'
import { enhancePage } from '../../built-pages/enhance-page.ts'
import { showStoredToast } from '../../built-pages/toast.ts'
import { createBrowserKeptFiles } from '../../uploads/kept/kept-files.ts'
import { registerShareWorker } from '../../uploads/kept/register-share-worker.ts'
import { enableLogin } from './enable-login.ts'
import { enableSignup } from './enable-signup.ts'
import { keptFilesText } from './kept-files-text.ts'

/** The URLs of the files that the dashboard loads first. Replaced at build time. */
declare const dashboardFiles: readonly string[]

/** Fetches the dashboard's files into the browser's cache, while people fill in the form. */
function fetchDashboard() {
  for (const file of dashboardFiles) {
    fetch(file, { priority: 'low' }).catch(() => {
      // The dashboard loads it again.
    })
  }
}

/** Makes links to sign in in another way pass on the page to open afterwards. */
function passOnNext() {
  const next = nextPath(new URLSearchParams(location.search).get('next'))
  for (const link of document.querySelectorAll<HTMLAnchorElement>('a[data-next]')) {
    link.href = withNext(link.pathname, next)
  }
}

/** Shows which files wait in this browser. The phone may share more while the page is open. */
async function showKeptFiles() {
  const note = document.querySelector<HTMLElement>('#kept-files')
  const text = keptFilesText(await createBrowserKeptFiles().list())
  if (note === null) return
  note.textContent = text
  note.hidden = text === ''
}

enhancePage()
registerShareWorker()
showStoredToast()
passOnNext()
enableLogin()
enableSignup()
void showKeptFiles()
document.addEventListener('visibilitychange', () => void showKeptFiles())
document.querySelector('form')?.addEventListener('focusin', fetchDashboard, { once: true })
