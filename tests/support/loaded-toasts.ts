/** The first toast loads the code that shows it. After this, tests see their toasts at once. */
import { act, cleanup, render } from '@testing-library/react'
import { createElement } from 'react'
import { Toaster, toast } from '../../src/web/ui/toast.tsx'

const { findByText } = render(createElement(Toaster))
act(() => toast({ title: 'Loaded' }))
await findByText('Loaded')
cleanup()
