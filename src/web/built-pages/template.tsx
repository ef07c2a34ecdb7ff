import { Moon, Sun } from 'lucide-react'
import type { ReactNode } from 'react'
import {
  type FileCondition,
  type OptOutCondition,
  type PageCondition,
  type PublicCondition,
  type ReportCondition,
  type RequestCondition,
  sectionEnd,
  sectionStart,
} from '../../shared/placeholders.ts'

/** Parts that the build adds to every page. */
export interface PageAssets {
  /** The page's complete style sheet. */
  css: string
  /** Inline script that sets the theme before the first paint. */
  boot: string
  /** The URL of the page's script, which doesn't block rendering. */
  script: string
}

/** Content that the server renders only if a condition is true. */
export function When(props: {
  is:
    | FileCondition
    | OptOutCondition
    | PageCondition
    | PublicCondition
    | ReportCondition
    | RequestCondition
  children: ReactNode
}) {
  return (
    <>
      {sectionStart(props.is)}
      {props.children}
      {sectionEnd(props.is)}
    </>
  )
}

/** The theme button. `enhancePage` activates it. */
export function ThemeButton() {
  return (
    <button className="icon" id="theme" type="button" aria-label="Switch theme">
      <Moon className="moon" size={18} strokeWidth={1.6} aria-hidden="true" />
      <Sun className="sun" size={18} strokeWidth={1.6} aria-hidden="true" />
    </button>
  )
}
