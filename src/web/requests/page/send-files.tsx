/** Sends files from the page of a request, or asks for its password first. */
import { createRoot } from 'react-dom/client'
import { localTimestampText } from '../../../shared/rules/format/timestamp-text.ts'
import { showToast } from '../../built-pages/toast.ts'
import { createBrowserUploads } from '../../uploads/browser-uploads.ts'
import { loadPanelStyles } from '../../uploads/panel/load-panel-styles.ts'
import { Delivery } from './delivery.tsx'
import { createDeliveryStarter } from './start-delivery.ts'
import { UnlockForm } from './unlock-form.tsx'

const element = document.querySelector<HTMLElement>('#send')
if (element === null) throw new Error('The page has no element with the id "send".')
const { requester = '', maxFileSize = '', maxFiles = '' } = element.dataset
const code = /^\/r\/([^/]+)/.exec(location.pathname)?.[1] ?? ''
const root = createRoot(element)

const timeElement = document.querySelector('time')
if (timeElement) {
  const closesAt = new Date(timeElement.dateTime)
  timeElement.textContent = `until ${localTimestampText(closesAt, new Date())}`
}

if (maxFiles === '') root.render(<UnlockForm code={code} />)
else {
  const { store, setOwner } = createBrowserUploads(
    {
      onStored: () => undefined,
      // The page lists failed uploads, but not that a wrong file was chosen again.
      onNotice: ({ title, description = '', isUnlisted }) => {
        if (isUnlisted) showToast(title, description)
      },
    },
    createDeliveryStarter(code),
  )
  setOwner(`/r/${code}`)
  const request = { requester, maxFileSize: Number(maxFileSize), maxFiles: Number(maxFiles) }
  // Only the server knows whether the request takes more.
  const restart = () => location.reload()
  loadPanelStyles(() =>
    root.render(<Delivery store={store} request={request} onCleared={restart} />),
  )
}
