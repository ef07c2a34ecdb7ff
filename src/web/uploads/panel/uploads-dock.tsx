import { useUploadsStore } from '../use-uploads.ts'
import { UploadsPanel } from './uploads-panel.tsx'
import './uploads-panel.css'

/** What toasts tell in this application. */
const toldByToasts = ['completed', 'failed'] as const

/** The uploads panel of the application, over whatever screen is open. */
export const UploadsDock = () => <UploadsPanel store={useUploadsStore()} told={toldByToasts} />
