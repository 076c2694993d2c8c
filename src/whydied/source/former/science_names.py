"""What SciPy and Matplotlib once had. Pure; see `former_entry`."""

from __future__ import annotations

from whydied.source.former.former_entry import Former, arguments, methods, renamed

_WINDOWS = "hann hamming gaussian blackman bartlett kaiser boxcar triang flattop parzen nuttall tukey"
_STYLES = (
    "seaborn seaborn-bright seaborn-colorblind seaborn-dark seaborn-dark-palette seaborn-darkgrid seaborn-deep "
    "seaborn-muted seaborn-notebook seaborn-paper seaborn-pastel seaborn-poster seaborn-talk seaborn-ticks "
    "seaborn-white seaborn-whitegrid"
)

ENTRIES: tuple[Former, ...] = (
    Former("scipy.misc.imread", ("<numpy.array>(<PIL.Image>.open({name}))",), ("name",)),
    Former("scipy.ndimage.imread", ("<numpy.array>(<PIL.Image>.open({name}))",), ("name",)),
    Former("scipy.misc.imsave", ("<PIL.Image>.fromarray({arr}).save({name})",), ("name", "arr")),
    Former("scipy.misc.toimage", ("<PIL.Image>.fromarray({arr})",), ("arr",)),
    Former("scipy.misc.fromimage", ("<numpy.array>({im})",), ("im",)),
    Former(
        "scipy.misc.imresize",
        ("<numpy.array>(<PIL.Image>.fromarray({arr}).resize({size}[1::-1]))",),
        ("arr", "size", "interp", "mode"),
    ),
    *renamed("scipy.misc", "comb factorial logsumexp", "scipy.special"),
    *renamed("scipy.misc", "face ascent", "scipy.datasets"),
    *renamed(
        "scipy",
        "interp array arange mean sqrt exp log sin cos pi linspace zeros ones dot vstack hstack median std var where "
        "sum max min abs log10 log2 isnan nan inf",
        "numpy",
    ),
    *renamed("scipy", "randn=randn rand=rand", "numpy.random"),
    *renamed("scipy.integrate", "simps=simpson trapz=trapezoid cumtrapz=cumulative_trapezoid romberg=quad"),
    *renamed("scipy.stats", "median_absolute_deviation=median_abs_deviation"),
    Former("scipy.stats.binom_test", ("<scipy.stats.binomtest>({rest}).pvalue",)),
    Former("scipy.stats.itemfreq", ("<numpy.unique>({a}, return_counts=True)",), ("a",)),
    *renamed("scipy.stats", "nanmean nanmedian nanstd", "numpy"),
    *renamed("scipy.signal", _WINDOWS, "scipy.signal.windows"),
    *renamed("scipy.linalg", "pinv2=pinv"),
    Former("matplotlib.cm.get_cmap", ("<matplotlib.pyplot.get_cmap>",)),
    Former("matplotlib.mlab.normpdf", ("<scipy.stats.norm>.pdf({x}, {mu}, {sigma})",), ("x", "mu", "sigma")),
    Former("matplotlib.pyplot.hold", (), note="drawing into the same axes is what it does now: leave the line out"),
    Former("matplotlib.pyplot.plot_date", ("<matplotlib.pyplot.plot>",)),
    *methods("matplotlib.Axes", "set_axis_bgcolor=set_facecolor get_axis_bgcolor=get_facecolor"),
    *arguments("matplotlib.hist matplotlib.Axes.hist", "normed=density"),
    *arguments("matplotlib.axes matplotlib.subplot", "axisbg=facecolor"),
    *arguments("matplotlib.grid matplotlib.Axes.grid", "b=visible"),
    *arguments("matplotlib.savefig matplotlib.Figure.savefig", "frameon= papertype="),
    *arguments("matplotlib.legend", "fancy=fancybox"),
    *(
        Former("matplotlib.use", (repr(name.replace("seaborn", "seaborn-v0_8")),), argument="style", value=repr(name))
        for name in _STYLES.split()
    ),
)
