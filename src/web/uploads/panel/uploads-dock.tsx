import { useLocation } from 'wouter'
import { useCurrentUser } from '../../api/use-current-user.ts'
import { useUploadsStore } from '../use-uploads.ts'
import { UploadsPanel } from './uploads-panel.tsx'
import './uploads-panel.css'

/** The app's uploads panel. It stays mounted across screens. */
export function UploadsDock() {
  const store = useUploadsStore()
  const [path] = useLocation()
  const { data: user } = useCurrentUser()
  return (
    <UploadsPanel
      store={store}
      // The dashboard shows foreground uploads itself.
      scope={path === '/' ? 'background' : 'all'}
      path={path}
      isAdmin={user?.isAdmin === true}
    />
  )
}
