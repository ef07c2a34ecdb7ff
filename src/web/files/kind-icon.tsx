import {
  File,
  FileArchive,
  FileText,
  FileType,
  Image,
  type LucideIcon,
  Music,
  Video,
} from 'lucide-react'
import type { FileKind } from '../../shared/rules/files/file-kind.ts'

const icons: Record<FileKind, LucideIcon> = {
  image: Image,
  video: Video,
  audio: Music,
  pdf: FileType,
  archive: FileArchive,
  document: FileText,
  other: File,
}

/**
 * The icon for a kind of file, `size` pixels wide, in the current text color. Hidden from screen
 * readers.
 */
export function KindIcon(props: { kind: FileKind; size: number }) {
  const Icon = icons[props.kind]
  return <Icon size={props.size} strokeWidth={1.6} aria-hidden="true" />
}
