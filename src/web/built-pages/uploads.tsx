/** Shows the uploads panel on public pages. Loaded by `enhancePage` when the user has uploads. */
import { createRoot, type Root } from 'react-dom/client'
import { call } from '../api/call.ts'
import type { ToastLink } from '../ui/toast.tsx'
import { createBrowserUploads } from '../uploads/browser-uploads.ts'
import styles from '../uploads/panel/uploads-panel.css?url'
import { UploadsPanel } from '../uploads/panel/uploads-panel.tsx'
import { spaceLink } from '../uploads/upload-notices.ts'
import { showToast } from './toast.ts'

let isAdmin = false
let panel: Root | null = null

/** The panel shows completed uploads, and a toast explains a failed one. */
const { store, setUser } = createBrowserUploads({
  onStored: () => undefined,
  onNotice: ({ title, description = '', isServerFull: lacksSpace, isFailure: failed }) => {
    if (!failed) return
    showToast(title, description)
    if (lacksSpace) document.querySelector('#toast')?.append(linkTo(spaceLink(isAdmin)))
  },
})

function linkTo({ text, href }: ToastLink): HTMLAnchorElement {
  return Object.assign(document.createElement('a'), { textContent: text, href, target: '_blank' })
}

function showPanel() {
  const place = document.createElement('div')
  document.body.append(place)
  panel = createRoot(place)
  drawPanel()
}

function drawPanel() {
  panel?.render(
    <UploadsPanel store={store} scope="all" path={location.pathname} isAdmin={isAdmin} />,
  )
}

const sheet = document.createElement('link')
sheet.rel = 'stylesheet'
sheet.href = styles
sheet.addEventListener('load', showPanel)
document.head.append(sheet)

call('currentUser').then(
  (user) => {
    isAdmin = user.isAdmin
    setUser(user.id)
    drawPanel()
  },
  // Signed out or offline: there are no uploads to show.
  () => setUser(null),
)
