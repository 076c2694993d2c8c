"""What scikit-learn once had. Pure; see `former_entry`. The encoder of chosen columns is in `column_encoders`."""

from __future__ import annotations

from whydied.source.former.former_entry import Former, arguments, renamed

_DISPLAYED = "({estimator}, {X}, {y}{rest})"
_NO_BOSTON = (
    "the data set was removed; `fetch_california_housing` has other houses, and `fetch_openml` serves the old table"
)
CHOSEN_COLUMNS = "sklearn.OneHotEncoder"

MODULES: dict[str, str] = {
    "sklearn.cross_validation": "sklearn.model_selection",
    "sklearn.grid_search": "sklearn.model_selection",
    "sklearn.learning_curve": "sklearn.model_selection",
    "sklearn.preprocessing.imputation": "sklearn.impute",
    "sklearn.preprocessing.data": "sklearn.preprocessing",
    "sklearn.preprocessing.label": "sklearn.preprocessing",
    "sklearn.datasets.samples_generator": "sklearn.datasets",
    "sklearn.datasets.base": "sklearn.datasets",
    "sklearn.metrics.scorer": "sklearn.metrics",
    "sklearn.metrics.classification": "sklearn.metrics",
    "sklearn.metrics.ranking": "sklearn.metrics",
    "sklearn.cluster.k_means_": "sklearn.cluster",
    "sklearn.ensemble.forest": "sklearn.ensemble",
    "sklearn.ensemble.gradient_boosting": "sklearn.ensemble",
    "sklearn.svm.classes": "sklearn.svm",
    "sklearn.linear_model.logistic": "sklearn.linear_model",
    "sklearn.linear_model.base": "sklearn.linear_model",
    "sklearn.neighbors.base": "sklearn.neighbors",
    "sklearn.neighbors.classification": "sklearn.neighbors",
    "sklearn.decomposition.pca": "sklearn.decomposition",
    "sklearn.manifold.t_sne": "sklearn.manifold",
    "sklearn.tree.export": "sklearn.tree",
    "sklearn.utils.testing": "sklearn.utils._testing",
    "sklearn.feature_extraction.stop_words": "sklearn.feature_extraction.text",
}
"""Modules that are gone, and where their names are now."""

ENTRIES: tuple[Former, ...] = (
    Former(
        "sklearn.preprocessing.Imputer",
        ("<sklearn.impute.SimpleImputer>({missing_values?}{strategy?}{fill_value?}{copy?})",),
        ("missing_values", "strategy", "axis", "verbose", "copy"),
        values=(("'NaN'", "<numpy.nan>"),),
    ),
    Former("sklearn.externals.joblib", ("<joblib>",)),
    Former("sklearn.externals.six", ("<six>",)),
    Former("sklearn.datasets.load_boston", (), note=_NO_BOSTON),
    Former("sklearn.datasets.fetch_mldata", ("<sklearn.datasets.fetch_openml>",)),
    Former(
        "sklearn.metrics.plot_confusion_matrix",
        (f"<sklearn.metrics.ConfusionMatrixDisplay>.from_estimator{_DISPLAYED}",),
        ("estimator", "X", "y"),
    ),
    Former(
        "sklearn.metrics.plot_roc_curve",
        (f"<sklearn.metrics.RocCurveDisplay>.from_estimator{_DISPLAYED}",),
        ("estimator", "X", "y"),
    ),
    Former(
        "sklearn.metrics.plot_precision_recall_curve",
        (f"<sklearn.metrics.PrecisionRecallDisplay>.from_estimator{_DISPLAYED}",),
        ("estimator", "X", "y"),
    ),
    *renamed(
        "sklearn.metrics", "jaccard_similarity_score=jaccard_score calinski_harabaz_score=calinski_harabasz_score"
    ),
    *renamed("sklearn.lda", "LDA=LinearDiscriminantAnalysis", "sklearn.discriminant_analysis"),
    *renamed("sklearn.qda", "QDA=QuadraticDiscriminantAnalysis", "sklearn.discriminant_analysis"),
    *renamed("sklearn.mixture", "GMM=GaussianMixture"),
    *renamed("sklearn.decomposition", "RandomizedPCA=PCA"),
    *renamed("sklearn.cross_validation", "Bootstrap=ShuffleSplit", "sklearn.model_selection"),
    *renamed("sklearn.preprocessing", "CategoricalEncoder=OneHotEncoder"),
    *(
        Former(
            f"sklearn.{one}.get_feature_names",
            ("{base}.get_feature_names_out",),
            needs=(f"sklearn.{where}.{one}.get_feature_names_out",),
        )
        for where, one in (
            ("preprocessing", "OneHotEncoder"),
            ("preprocessing", "PolynomialFeatures"),
            ("compose", "ColumnTransformer"),
            ("feature_extraction.text", "CountVectorizer"),
            ("feature_extraction", "DictVectorizer"),
        )
    ),
    Former(CHOSEN_COLUMNS, ("<sklearn.compose.ColumnTransformer>",), argument="categorical_features"),
    *arguments("sklearn.OneHotEncoder", "sparse=sparse_output n_values="),
    Former(
        "sklearn.mean_squared_error",
        ("<sklearn.metrics.root_mean_squared_error>({rest})",),
        argument="squared",
        value="False",
    ),
    Former("sklearn.mean_squared_error", ("",), argument="squared", value="True"),
    Former("sklearn.*", ("estimator={value}",), argument="base_estimator"),
    Former("sklearn.*", ("metric={value}",), argument="affinity"),
    Former("sklearn.*", ("max_iter={value}",), argument="n_iter"),
    Former("sklearn.*", ("n_splits={value}",), argument="n_folds"),
    Former("sklearn.*", ("n_components={value}",), argument="n_topics"),
    *(
        Former("sklearn.*", ("",), argument=name)
        for name in ("presort", "min_impurity_split", "iid", "precompute_distances", "multi_class")
    ),
    Former("sklearn.KMeans", ("",), argument="n_jobs"),
    Former("sklearn.*", ("",), argument="normalize", value="False"),
    Former("sklearn.*", (), argument="normalize", note="scale the columns before it with a `StandardScaler`"),
    Former("sklearn.*", ("loss='log_loss'",), argument="loss", value="'log'"),
    Former("sklearn.*", ("loss='log_loss'",), argument="loss", value="'deviance'"),
    Former("sklearn.*", ("loss='squared_error'",), argument="loss", value="'ls'"),
    Former("sklearn.*", ("loss='squared_error'",), argument="loss", value="'squared_loss'"),
    Former("sklearn.*", ("loss='absolute_error'",), argument="loss", value="'lad'"),
    Former("sklearn.*", ("criterion='squared_error'",), argument="criterion", value="'mse'"),
    Former("sklearn.*", ("criterion='absolute_error'",), argument="criterion", value="'mae'"),
    Former("sklearn.*", ("max_features='sqrt'",), argument="max_features", value="'auto'"),
    Former("sklearn.*", ("penalty=None",), argument="penalty", value="'none'"),
    Former("sklearn.*", ("algorithm='lloyd'",), argument="algorithm", value="'auto'"),
    Former("sklearn.*", ("algorithm='lloyd'",), argument="algorithm", value="'full'"),
    Former("sklearn.*", ("",), argument="algorithm", value="'SAMME.R'"),
    *(
        Former("sklearn.*", (f"scoring='neg_{name}'",), argument="scoring", value=f"'{name}'")
        for name in ("mean_squared_error", "mean_absolute_error", "log_loss")
    ),
)
