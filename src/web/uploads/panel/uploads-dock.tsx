import { useLocation } from 'wouter'
import { useUploadsStore } from '../use-uploads.ts'
import { UploadsPanel } from './uploads-panel.tsx'
import './uploads-panel.css'

/** The changes that toasts tell in this application. */
const toldByToasts = ['completed', 'failed'] as const

/** The uploads panel of the application, over whatever screen is open. */
export function UploadsDock() {
  const store = useUploadsStore()
  const [path] = useLocation()
  // The dashboard draws the foreground path itself.
  return (
    <UploadsPanel store={store} told={toldByToasts} listed={path === '/' ? 'background' : 'all'} />
  )
}
