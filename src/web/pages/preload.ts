import { createContext } from 'react'
import type { pages } from '../../shared/pages.ts'

/** The path of a screen of this application. */
export type PagePath = (typeof pages)[number]

/**
 * Carries the function that loads the target screen of a link before a person presses the link. The
 * route table provides it. Links cannot import the screens, because screens contain links.
 */
export const Preload = createContext<(path: PagePath) => void>(() => undefined)
