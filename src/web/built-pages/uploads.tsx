/** Shows the uploads panel on public pages. Loaded by `enhancePage` when the user has uploads. */
import { createRoot, type Root } from 'react-dom/client'
import { call } from '../api/call.ts'
import type { ToastLink } from '../ui/toast-options.ts'
import { createBrowserUploads } from '../uploads/browser-uploads.ts'
import { loadPanelStyles } from '../uploads/panel/load-panel-styles.ts'
import { UploadsPanel } from '../uploads/panel/uploads-panel.tsx'
import { serverFullLink } from '../uploads/upload-notices.ts'
import { showToast } from './toast.ts'

let isAdmin = false
let panelRoot: Root | null = null

/** Shows toasts only for failures, because the panel lists completed uploads. */
const { store, setOwner } = createBrowserUploads({
  onStored: () => undefined,
  onNotice: ({ title, description = '', isServerFull, tone }) => {
    if (tone === 'plain') return
    showToast(title, description)
    if (isServerFull) document.querySelector('#toast')?.append(createLink(serverFullLink(isAdmin)))
  },
})

function createLink({ text, href }: ToastLink): HTMLAnchorElement {
  return Object.assign(document.createElement('a'), { textContent: text, href, target: '_blank' })
}

function showPanel() {
  const container = document.createElement('div')
  document.body.append(container)
  panelRoot = createRoot(container)
  renderPanel()
}

function renderPanel() {
  panelRoot?.render(
    <UploadsPanel store={store} scope="all" path={location.pathname} isAdmin={isAdmin} />,
  )
}

loadPanelStyles(showPanel)

call('GET /api/auth/user').then(
  (user) => {
    isAdmin = user.isAdmin
    setOwner(user.id)
    renderPanel()
  },
  // Signed out or offline, so there are no uploads to show.
  () => setOwner(null),
)
