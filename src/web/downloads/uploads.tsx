/** The uploads panel on the download page; its script loads this only for who has uploads. */
import { createRoot } from 'react-dom/client'
import { call } from '../api/call.ts'
import { createBrowserUploads } from '../uploads/browser-uploads.ts'
import styles from '../uploads/panel/uploads-panel.css?url'
import { UploadsPanel } from '../uploads/panel/uploads-panel.tsx'
import { showToast } from './toast.ts'

/** The panel itself tells what became of an upload; only what it cannot tell is left to a toast. */
const { store, setUser } = createBrowserUploads({
  onStored: () => undefined,
  onNotice: ({ title, description = '', failed }) => {
    if (failed) showToast(title, description)
  },
})

function showPanel() {
  const place = document.createElement('div')
  document.body.append(place)
  createRoot(place).render(<UploadsPanel store={store} told={[]} listed="all" />)
}

const sheet = document.createElement('link')
sheet.rel = 'stylesheet'
sheet.href = styles
sheet.addEventListener('load', showPanel)
document.head.append(sheet)

call('currentUser').then(
  ({ id }) => setUser(id),
  // Nobody is signed in, or the server is away: there is nothing to show.
  () => setUser(null),
)
