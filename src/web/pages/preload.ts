import { createContext } from 'react'
import type { pages } from '../../shared/pages.ts'

/** The path of a screen of this application. */
export type PagePath = (typeof pages)[number]

/**
 * Carries the function that loads what a link leads to before it is pressed. The route table gives it:
 * links cannot know the screens, which hold links themselves.
 */
export const Preload = createContext<(path: PagePath) => void>(() => undefined)
