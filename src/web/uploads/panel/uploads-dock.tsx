import { useLocation } from 'wouter'
import { useCurrentUser } from '../../api/use-current-user.ts'
import { useUploadsStore } from '../use-uploads.ts'
import { UploadsPanel } from './uploads-panel.tsx'
import './uploads-panel.css'

/** The changes that toasts announce in this application. The panel does not announce them again. */
const toldByToasts = ['completed', 'failed'] as const

/** The uploads panel of the application. It stays while the screen changes. */
export function UploadsDock() {
  const store = useUploadsStore()
  const [path] = useLocation()
  const { data: user } = useCurrentUser()
  // The dashboard shows foreground uploads itself.
  return (
    <UploadsPanel
      store={store}
      told={toldByToasts}
      listed={path === '/' ? 'background' : 'all'}
      path={path}
      isAdmin={user?.isAdmin === true}
    />
  )
}
