import { Moon, Sun } from 'lucide-react'
import type { ReactNode } from 'react'
import {
  type PageCondition,
  type PublicCondition,
  type ReportCondition,
  sectionEnd,
  sectionStart,
} from '../../shared/placeholders.ts'

/** What the build adds to each page that it renders. */
export interface Built {
  /** The whole style sheet of the page. */
  css: string
  /** A script that sets the theme before the browser paints anything. */
  boot: string
  /** The URL of the script of the page. The browser paints the page without waiting for it. */
  script: string
}

/** Content that the server keeps only if a condition is true. */
export function When(props: {
  is: PageCondition | PublicCondition | ReportCondition
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

/** The button that switches the theme. `enhancePage` makes it work. */
export function ThemeButton() {
  return (
    <button className="icon" id="theme" type="button" aria-label="Switch theme">
      <Moon className="moon" size={18} strokeWidth={1.6} aria-hidden="true" />
      <Sun className="sun" size={18} strokeWidth={1.6} aria-hidden="true" />
    </button>
  )
}
